"""Splits a line into words as a POSIX shell would (token recognition and quote removal). Pure.

What a shell on the reader's own computer would act on (`|`, `>`, `$HOME`, `*`) can't happen here,
because no shell of the host ever sees the line: it is refused in words instead.
"""

from __future__ import annotations

import re


class NotRunnable(Exception):
    """This line can't run in a lab. The text is the sentence to show: why, and what to do."""


_TOKEN = re.compile(
    r"""
      (?P<continued> \\\n )
    | (?P<blank>     [ \t]+ )
    | (?P<newline>   \n )
    | \\ (?P<escaped> . )
    | '  (?P<single>  [^']*+ ) '
    | "  (?P<double>  (?: [^"\\]++ | \\. )*+ ) "
    | (?P<plain>     [^\s\\'"$`|&;<>()*?\[{~\#]+ )
    | (?P<special>   . )
    """,
    re.VERBOSE | re.DOTALL,
)

# A backslash and a line break vanish before anything else is read, so they may stand in between.
_EXPANSION = r"\$(?:\\\n)*[A-Za-z0-9_@*#?$!({\[-]"
_IN_DOUBLE_QUOTES = re.compile(rf"""\\(?P<escaped>[$`"\\])|\\\n|(?P<expansion>{_EXPANSION}|`)""")
_ALONE = r"(?:\\\n)*(?:[ \t\n]|\Z)"
_NOT_LITERAL_DOLLAR = re.compile(rf"""{_EXPANSION}|\$(?:\\\n)*['"]""")
_LITERAL_BRACKET = re.compile(r"\[" + _ALONE)
_LITERAL_BRACES = re.compile(r"\{\}" + _ALONE)

_OR_AT_HOME = "or run this line at home."
_QUOTE_IT = f"Put it in single quotes to keep it as it is, {_OR_AT_HOME}"
_QUOTE_ALL = f"To keep all of it in the lab, write docker exec agent sh -c '…', {_OR_AT_HOME}"
_WHY_NOT = {
    "|": f"Here | would feed a program on your own computer, not in the lab. {_QUOTE_ALL}",
    "&": f"Here & would start something on your own computer, not in the lab. {_QUOTE_ALL}",
    ";": f"Here ; would end the command, and your own computer would go on. {_QUOTE_ALL}",
    "<": f"Here < would read from your own computer, not from the lab. {_QUOTE_ALL}",
    ">": f"Here > would write a file on your own computer, not in the lab. {_QUOTE_ALL}",
    "(": f"Here ( would start a second shell on your own computer. {_QUOTE_IT}",
    ")": f"Here ) would end a second shell on your own computer. {_QUOTE_IT}",
    "*": f"Here * would stand for files of your own computer, not of the lab. {_QUOTE_ALL}",
    "?": f"Here ? would stand for files of your own computer, not of the lab. {_QUOTE_ALL}",
    "[": f"Here [ would stand for files of your own computer, not of the lab. {_QUOTE_ALL}",
    "{": f"Here {{ means different things to different shells. {_QUOTE_IT}",
    "~": "Here ~ would be your home folder on your own computer. "
    f"Write /home/node for the one in the lab, {_OR_AT_HOME}",
    "#": "Here # begins a comment. Leave the comment out, or put the # in single quotes.",
    "$": "Your own computer would fill in what begins with $ before the lab sees it. "
    f"Write \\$ to leave that to the lab, {_OR_AT_HOME}",
    "`": "Your own computer would run what follows ` before the lab sees it. "
    f"Write \\` to leave that to the lab, {_OR_AT_HOME}",
    "'": "A single quote ' opens here and is never closed. Add the missing one.",
    '"': 'A double quote " opens here and is never closed. Add the missing one.',
    "\\": "The line ends in a backslash, so more should follow. Take it away, or write the rest.",
    "\r": "The line has a Windows line end in it. Type it again by hand, on one line.",
    "\n": "This is more than one command. Run one at a time. To go on with the same command in "
    "a new line, end the line before it with a backslash.",
}


def split_words(line: str) -> list[str]:
    """The words of one simple command, quotes taken away. Raises NotRunnable.

    Refuses whatever a shell would act on, and the few things that shells read differently.
    """
    words: list[list[str]] = []
    in_word = is_over = False
    for token in _TOKEN.finditer(line):
        kind = token.lastgroup
        if kind in ("blank", "newline"):
            in_word = False
            is_over = is_over or (kind == "newline" and bool(words))
        elif kind != "continued":
            if is_over:
                raise NotRunnable(_WHY_NOT["\n"])
            if not in_word:
                words.append([])
            words[-1].append(_read_token(token, in_word=in_word))
            in_word = True
    return ["".join(parts) for parts in words]


def _read_token(token: re.Match[str], *, in_word: bool) -> str:
    """What one token adds to its word."""
    text = token[token.lastgroup or 0]
    if token.lastgroup == "double":
        return _IN_DOUBLE_QUOTES.sub(_unescape, text)
    if token.lastgroup == "special" and not _is_literal(token.string, token.start(), in_word):
        raise NotRunnable(_WHY_NOT.get(text) or _false_space(text))
    return text


def _unescape(match: re.Match[str]) -> str:
    if match["expansion"]:
        raise NotRunnable(_WHY_NOT[match["expansion"][0]])
    return match["escaped"] or ""


def _is_literal(line: str, at: int, in_word: bool) -> bool:
    """True where every shell takes the special character at `at` for itself."""
    match line[at]:
        case "$":
            return not _NOT_LITERAL_DOLLAR.match(line, at)
        case "#":
            return in_word
        case "~":
            return in_word and line[at - 1] not in "=:"
        case "{":
            return bool(_LITERAL_BRACES.match(line, at))
        case "[":
            return not in_word and bool(_LITERAL_BRACKET.match(line, at))
    return False


def _false_space(char: str) -> str:
    return (
        f"The line has a character that looks like a space but is none (U+{ord(char):04X}). "
        "Type a space in its place."
    )


def shown(text: str) -> str:
    """`text` fit for a sentence: short, and nothing in it that can't be seen."""
    visible = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return visible if len(visible) <= 40 else visible[:39] + "…"
