"""Reads a `docker exec … agent …` line as a POSIX shell and Docker would. Pure; runs nothing.

How the line falls into words is in `labs.shell_words`; here are Docker's options and the limits.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from labs.shell_words import NotRunnable, shown, split_words

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
        raise NotRunnable(_not_docker_exec(words))
    options, rest = _read_options(words[2:])
    if not rest:
        raise NotRunnable(
            f"The line ends too early. Write the name {CONTAINER} and then the command, as in: "
            f"docker exec {CONTAINER} ls"
        )
    container, *argv = rest
    if container != CONTAINER:
        raise NotRunnable(
            f"Your lab is called {CONTAINER}, and this line asks for {shown(container)}. "
            f"Write {CONTAINER} in its place, or run this line at home."
        )
    if not argv or not argv[0]:
        raise NotRunnable(
            f"After {CONTAINER} comes the command to run, as in: docker exec {CONTAINER} ls"
        )
    return Command(tuple(argv), options.workdir, tuple(options.env.items()))


def _check_line(line: str) -> None:
    try:
        size_bytes = len(line.encode())
    except UnicodeEncodeError:
        raise NotRunnable("The line has a broken character in it. Type it again by hand.") from None
    if size_bytes > MAX_LINE_BYTES:
        raise NotRunnable(
            f"The line is {size_bytes:,} bytes long, and {MAX_LINE_BYTES:,} is the most that can "
            "run here. Write it in two parts, the second with >> in place of >."
        )
    if "\0" in line:
        raise NotRunnable(
            "The line has an invisible NUL character in it, and no command may. "
            "Type it again by hand."
        )


def _not_docker_exec(words: list[str]) -> str:
    start = words[0] if words else ""
    if not start:
        return f"There is no command here. Write one, as in: docker exec {CONTAINER} ls"
    if start in ("$", "sudo"):
        return f"Leave out the {start} at the start: the line begins with docker exec."
    if start == "docker":
        asked = shown(" ".join(words[:2]))
        return (
            f"Only docker exec runs here, and this line says {asked}. "
            "The lab is already there, so nothing else is needed. To try it, run this at home."
        )
    return (
        f"The line has to begin with docker exec {CONTAINER}, and then comes the command: "
        f"docker exec {CONTAINER} {shown(start)} …"
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
    "-d": "-d would hide what the command prints. Leave it out: the output is shown here.",
    "--detach": "--detach would hide what the command prints. Leave it out.",
    "--detach-keys": "There is nothing to detach from here. Leave out --detach-keys.",
    "--env-file": "--env-file would read a file of your own computer. Write -e NAME=value, once "
    "for each name.",
    "--privileged": "No lab gives more rights than it has. Leave out --privileged.",
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
        raise NotRunnable(_no_such_option("--" + name))
    if letter in "it":
        _check_switch(word, value if equals else "true")
    else:
        _set_option(letter, value if equals else _next_word(word, rest), options)


def _read_short(word: str, rest: deque[str], options: _Options) -> None:
    letters = _SHORT_OPTIONS.fullmatch(word)
    if letters is None:
        raise NotRunnable(_no_such_option("-" + word.lstrip("-it")[:1]))
    if letters["switch"] is not None:
        _check_switch(word, letters["switch"])
    elif letters["name"]:
        value = letters["value"]
        value = value.removeprefix("=") if value else _next_word(word, rest)
        _set_option(letters["name"], value, options)


def _next_word(option: str, rest: deque[str]) -> str:
    if not rest:
        raise NotRunnable(f"The line ends too early: {shown(option)} needs a value after it.")
    return rest.popleft()


def _check_switch(word: str, value: str) -> None:
    """-i and -t change nothing here, but a mistake in them is still one."""
    if value not in _GO_BOOLEANS:
        raise NotRunnable(f"{shown(word)} should end in true or false. Better leave it out.")


def _set_option(letter: str, value: str, options: _Options) -> None:
    if letter == "w":
        options.workdir = _checked_workdir(value)
    elif letter == "e":
        options.env.update([_checked_env(value)])
        if len(options.env) > MAX_ENV_PAIRS:
            raise NotRunnable(f"The line sets more than {MAX_ENV_PAIRS} names with -e. Use fewer.")
    elif value != "node":
        raise NotRunnable(
            "In your lab you are always the user node. Leave out -u and the name after it."
        )


def _checked_workdir(path: str) -> str:
    if not path.startswith("/"):
        raise NotRunnable(
            f"The folder after -w has to begin with /, as in {WORKDIR}. "
            "Without -w, that is where the command runs."
        )
    if len(path.encode()) > MAX_WORKDIR_BYTES:
        raise NotRunnable("The folder after -w has too long a name. Use a shorter one.")
    return path


def _checked_env(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not _ENV_NAME.fullmatch(name):
        raise NotRunnable(
            f"After -e comes NAME=value, with letters, digits and _ in the name, and no space. "
            f"This line says {shown(pair)}."
        )
    if not equals:
        raise NotRunnable(
            f"-e {shown(name)} would copy a value from your own computer. "
            f"Say which value: -e {shown(name)}=value"
        )
    return name, value


def _no_such_option(name: str) -> str:
    return _REFUSED_OPTIONS.get(
        name, f"The option {shown(name)} can't be used here. Leave it out, or run this at home."
    )
