"""Reads a `docker exec … agent …` line as a POSIX shell and Docker would. Pure; runs nothing.

How the line falls into words is in `labs.shell_words`; here are Docker's options and the limits.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from labs.shell_words import NotRunnable, gettext_noop, shown, split_words

__all__ = ["Command", "NotRunnable", "parse_command"]

CONTAINER = "agent"
WORKDIR = "/home/node/project"
MAX_LINE_BYTES = 64 * 1024
MAX_WORKDIR_BYTES = 4095
"""Linux takes no longer path (PATH_MAX with its closing NUL)."""
MAX_ENV_PAIRS = 64


@dataclass(frozen=True)
class Command:
    """What is to run in the lab, word by word. `env` holds each name once."""

    argv: tuple[str, ...]
    workdir: str = WORKDIR
    env: tuple[tuple[str, str], ...] = ()
    container: str = CONTAINER


def parse_command(line: str) -> Command:
    """The command that `line` asks for. Raises NotRunnable."""
    _check_line(line)
    words = split_words(line)
    if words[:2] != ["docker", "exec"]:
        raise _not_docker_exec(words)
    options, rest = _read_options(words[2:])
    if not rest:
        raise NotRunnable(
            gettext_noop(
                "The line ends too early. Write the name agent and then the command, as in: "
                "docker exec agent ls"
            )
        )
    container, *argv = rest
    if container != CONTAINER:
        raise NotRunnable(
            gettext_noop("Your lab is called agent, and this line asks for %(name)s."),
            gettext_noop("Write agent in its place, or run this line at home."),
            name=shown(container),
        )
    if not argv or not argv[0]:
        raise NotRunnable(
            gettext_noop("After agent comes the command to run, as in: docker exec agent ls")
        )
    return Command(tuple(argv), options.workdir, tuple(options.env.items()))


def _check_line(line: str) -> None:
    try:
        size_bytes = len(line.encode())
    except UnicodeEncodeError:
        broken = gettext_noop("The line has a broken character in it. Type it again by hand.")
        raise NotRunnable(broken) from None
    if size_bytes > MAX_LINE_BYTES:
        raise NotRunnable(
            gettext_noop(
                "The line is %(size)s bytes long, and %(most)s is the most that can run here."
            ),
            gettext_noop("Write it in two parts, the second with >> in place of >."),
            size=f"{size_bytes:,}",
            most=f"{MAX_LINE_BYTES:,}",
        )
    if "\0" in line:
        raise NotRunnable(
            gettext_noop(
                "The line has an invisible NUL character in it, and no command may. "
                "Type it again by hand."
            )
        )


def _not_docker_exec(words: list[str]) -> NotRunnable:
    start = words[0] if words else ""
    if not start:
        return NotRunnable(
            gettext_noop("There is no command here. Write one, as in: docker exec agent ls")
        )
    if start in ("$", "sudo"):
        return NotRunnable(
            gettext_noop("Leave out the %(word)s at the start: the line begins with docker exec."),
            word=start,
        )
    if start == "docker":
        return NotRunnable(
            gettext_noop("Only docker exec runs here, and this line says %(words)s."),
            gettext_noop(
                "The lab is already there, so nothing else is needed. To try it, run this at home."
            ),
            words=shown(" ".join(words[:2])),
        )
    return NotRunnable(
        gettext_noop(
            "The line has to begin with docker exec agent, and then comes the command: "
            "docker exec agent %(word)s …"
        ),
        word=shown(start),
    )


# Options: as Docker's own command line reads them.

_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_GO_BOOLEANS = frozenset({"1", "t", "T", "TRUE", "true", "True"}) | frozenset(
    {"0", "f", "F", "FALSE", "false", "False"}
)
_SHORT_OPTIONS = re.compile(
    r"-(?:[it]++(?:=(?P<switch>.*))?+|[it]*+(?P<name>[weu])(?P<value>.*))", re.DOTALL
)
_LONG_NAMES = {"workdir": "w", "env": "e", "user": "u", "interactive": "i", "tty": "t"}
_REFUSED_OPTIONS = {
    "-d": gettext_noop(
        "-d would hide what the command prints. Leave it out: the output is shown here."
    ),
    "--detach": gettext_noop("--detach would hide what the command prints. Leave it out."),
    "--detach-keys": gettext_noop("There is nothing to detach from here. Leave out --detach-keys."),
    "--env-file": gettext_noop(
        "--env-file would read a file of your own computer. Write -e NAME=value, once for each "
        "name."
    ),
    "--privileged": gettext_noop("No lab gives more rights than it has. Leave out --privileged."),
}


@dataclass
class _Options:
    """What has been read so far."""

    workdir: str = WORKDIR
    env: dict[str, str] = field(default_factory=dict)


def _read_options(words: list[str]) -> tuple[_Options, deque[str]]:
    """The options, and every word from the container's name on."""
    options, rest = _Options(), deque(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.popleft()
        if word == "--":
            break
        if word.startswith("--"):
            _read_long(word, rest, options)
        else:
            _read_short(word, rest, options)
    return options, rest


def _read_long(word: str, rest: deque[str], options: _Options) -> None:
    name, equals, value = word.removeprefix("--").partition("=")
    letter = _LONG_NAMES.get(name)
    if letter is None:
        raise _no_such_option("--" + name)
    if letter in "it":
        _check_switch(word, value if equals else "true")
    else:
        _set_option(letter, value if equals else _next_word(word, rest), options)


def _read_short(word: str, rest: deque[str], options: _Options) -> None:
    letters = _SHORT_OPTIONS.fullmatch(word)
    if letters is None:
        raise _no_such_option("-" + word.lstrip("-it")[:1])
    if letters["switch"] is not None:
        _check_switch(word, letters["switch"])
    elif letters["name"]:
        value = letters["value"]
        value = value.removeprefix("=") if value else _next_word(word, rest)
        _set_option(letters["name"], value, options)


def _next_word(option: str, rest: deque[str]) -> str:
    if not rest:
        raise NotRunnable(
            gettext_noop("The line ends too early: %(option)s needs a value after it."),
            option=shown(option),
        )
    return rest.popleft()


def _check_switch(word: str, value: str) -> None:
    """-i and -t change nothing here, but a mistake in them is still one."""
    if value not in _GO_BOOLEANS:
        raise NotRunnable(
            gettext_noop("%(option)s should end in true or false. Better leave it out."),
            option=shown(word),
        )


def _set_option(letter: str, value: str, options: _Options) -> None:
    if letter == "w":
        options.workdir = _checked_workdir(value)
    elif letter == "e":
        options.env.update([_checked_env(value)])
        if len(options.env) > MAX_ENV_PAIRS:
            raise NotRunnable(
                gettext_noop("The line sets more than %(most)s names with -e. Use fewer."),
                most=MAX_ENV_PAIRS,
            )
    elif value != "node":
        raise NotRunnable(
            gettext_noop(
                "In your lab you are always the user node. Leave out -u and the name after it."
            )
        )


def _checked_workdir(path: str) -> str:
    if not path.startswith("/"):
        raise NotRunnable(
            gettext_noop(
                "The folder after -w has to begin with /, as in %(folder)s. "
                "Without -w, that is where the command runs."
            ),
            folder=WORKDIR,
        )
    if len(path.encode()) > MAX_WORKDIR_BYTES:
        raise NotRunnable(
            gettext_noop("The folder after -w has too long a name. Use a shorter one.")
        )
    return path


def _checked_env(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not _ENV_NAME.fullmatch(name):
        raise NotRunnable(
            gettext_noop(
                "After -e comes NAME=value, with letters, digits and _ in the name, and no space."
            ),
            gettext_noop("This line says %(pair)s."),
            pair=shown(pair),
        )
    if not equals:
        raise NotRunnable(
            gettext_noop(
                "-e %(name)s would copy a value from your own computer. "
                "Say which value: -e %(name)s=value"
            ),
            name=shown(name),
        )
    return name, value


def _no_such_option(name: str) -> NotRunnable:
    if refused := _REFUSED_OPTIONS.get(name):
        return NotRunnable(refused)
    return NotRunnable(
        gettext_noop(
            "The option %(option)s can't be used here. Leave it out, or run this at home."
        ),
        option=shown(name),
    )
