"""The lab's processes: how one becomes the student, how they are found and ended."""

import errno
import os
from _signal import (  # type: ignore[import-not-found]  # `signal` costs half a megabyte
    SIG_DFL,
    SIGKILL,
    SIGPIPE,
    SIGXFSZ,
    signal,
)

MARK = b"AGENT_LAB_RUN="
NO_ROOM = "The lab has no room for another process."
SENTENCES = {
    ("chdir", errno.ENOENT): "There is no directory {} in this lab.",
    ("chdir", errno.ENOTDIR): "{} is not a directory.",
    ("chdir", errno.EACCES): "The directory {} may not be entered.",
    ("exec", errno.ENOENT): "There is no command {} in this lab.",
    ("exec", errno.EACCES): "{} may not be executed.",
    ("exec", errno.ENOEXEC): "{} is not a program that this lab can run.",
    ("exec", errno.E2BIG): "The command is too long.",
    ("exec", errno.EAGAIN): NO_ROOM,
}


class Order:
    """A command as it is to be executed: bytes, as the kernel takes them."""

    __slots__ = ("argv", "env", "workdir")

    def __init__(self, argv: list[bytes], env: dict[bytes, bytes], workdir: bytes) -> None:
        self.argv = argv
        self.env = env
        self.workdir = workdir


def spawn(
    uid: int, order: Order, stdio: tuple[int, int, int], *, is_terminal: bool = False
) -> tuple[int, int]:
    """Starts the command in a session of its own; its process id, and where it reports.

    The second is a pipe that stays empty unless the command could not be executed. With
    `is_terminal`, its standard input becomes the terminal that controls the session.
    """
    report, report_end = os.pipe2(os.O_CLOEXEC)
    try:
        pid = os.fork()
    except OSError:
        os.close(report)
        os.close(report_end)
        raise
    if pid == 0:
        _become_and_execute(uid, order, stdio, report_end, is_terminal)
    os.close(report_end)
    return pid, report


def _become_and_execute(
    uid: int, order: Order, stdio: tuple[int, int, int], report: int, is_terminal: bool
) -> None:
    step = "start"
    try:
        for target, source in enumerate(stdio):
            os.dup2(source, target)
        become_student(uid)
        if is_terminal:
            _take_terminal()
        step = "chdir"
        os.chdir(order.workdir)
        step = "exec"
        _execute(order)
    except OSError as error:
        os.write(report, f"{step} {error.errno}".encode())
    finally:
        os._exit(127)


def become_student(uid: int) -> None:
    """Gives up root for good. Python ignores two signals, which a command must not inherit."""
    os.setsid()
    signal(SIGPIPE, SIG_DFL)
    signal(SIGXFSZ, SIG_DFL)
    _offer_to_the_oom_killer()
    os.nice(10)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.umask(0o022)


def _take_terminal() -> None:
    from fcntl import ioctl
    from termios import TIOCSCTTY

    ioctl(0, TIOCSCTTY, 0)


def _offer_to_the_oom_killer() -> None:
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:
        return  # gVisor has no such file
    os.write(fd, b"1000")
    os.close(fd)


def _execute(order: Order) -> None:
    """Looks along PATH as a shell does: a file that may not be executed is told only at the end."""
    name = order.argv[0]
    if b"/" in name:
        os.execve(name, order.argv, order.env)  # noqa: S606  the student's argv, without a shell
    denied: OSError | None = None
    for directory in order.env.get(b"PATH", b"").split(b":"):
        try:
            path = (directory or b".") + b"/" + name
            os.execve(path, order.argv, order.env)  # noqa: S606  as above
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            denied = error
    raise denied or FileNotFoundError(errno.ENOENT, "not found")


def explain(report: bytes, order: Order) -> tuple[int, str]:
    """The exit code a shell would give, and a sentence, for a command that did not start."""
    step, _, number = report.decode("ascii", "replace").partition(" ")
    code = int(number or 0)
    subject = order.workdir if step == "chdir" else order.argv[0]
    sentence = SENTENCES.get((step, code)) or f"{{}} could not be started: {os.strerror(code)}."
    is_unknown = (step, code) == ("exec", errno.ENOENT)
    return 127 if is_unknown else 126, sentence.format(subject.decode("utf-8", "replace"))


def signal_all(uid: int, number: int) -> None:
    """Signals every process of the student at once; no fork can slip through between two.

    For this moment we are the student ourselves: as process 1 we can't be signalled from inside.
    """
    os.setresuid(uid, uid, 0)
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        return
    finally:
        os.setresuid(0, 0, 0)


class Process:
    """One line of the process table."""

    __slots__ = ("parent", "pid", "session", "state", "uid")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.uid = self.parent = self.session = -1
        self.state = ""
        with open(f"/proc/{pid}/status", "rb") as lines:
            for line in lines:
                self._take(line)

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name == b"State":
            self.state = value.split()[0].decode()
        elif name == b"PPid":
            self.parent = int(value)
        elif name == b"Uid":
            self.uid = int(value.split()[0])
        elif name == b"NSsid":
            self.session = int(value.split()[-1])


def list_processes() -> dict[int, Process]:
    """Every process of the lab that is not a zombie, by process id."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            process = Process(int(name))
        except OSError:
            continue  # it ended meanwhile
        if process.state != "Z":
            found[process.pid] = process
    return found


def find_tree(uid: int, others: dict[int, bytes]) -> tuple[list[int], list[int]]:
    """The student's processes: those to end, and those that provably belong to `others`.

    `others` are the first processes of other live trees, with their run ids. What came from
    outside (a process whose line of parents ends at 0) is another's too.
    """
    processes = list_processes()
    ours: list[int] = []
    spared: list[int] = []
    for process in processes.values():
        if process.uid == uid:
            is_others = _belongs(process, processes, others)
            (spared if is_others else ours).append(process.pid)
    return ours, spared


def _belongs(process: Process, processes: dict[int, Process], others: dict[int, bytes]) -> bool:
    if process.session in others:
        return True
    climber: Process | None = process
    while climber is not None and climber.pid > 1:
        if climber.pid in others or climber.parent == 0:
            return True
        climber = processes.get(climber.parent)
    return bool(others) and _mark(process) in others.values()


def _mark(process: Process) -> bytes:
    """The run id in the process's environment, read as the student since root has no right to."""
    os.seteuid(process.uid)
    try:
        with open(f"/proc/{process.pid}/environ", "rb") as file:
            variables = file.read(256 * 1024).split(b"\0")
    except OSError:
        return b""
    finally:
        os.seteuid(0)
    return next((line[len(MARK) :] for line in variables if line.startswith(MARK)), b"")


def kill_quietly(pid: int, number: int = SIGKILL) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
