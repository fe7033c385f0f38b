"""Splits a line into words as a POSIX shell would (token recognition and quote removal). Pure.

What a shell on the reader's own computer would act on (`|`, `>`, `$HOME`, `*`) can't happen here,
because no shell of the host ever sees the line: it is refused in words instead.
"""

from __future__ import annotations

import re


class NotRunnable(Exception):
    """This line can't run in a lab. The text is what to show, in English: why, and what to do.

    `sentences` are its texts as translators know them, with places for `values`.
    """

    def __init__(self, *sentences: str, **values: object) -> None:
        self.sentences = sentences
        self.values = values
        super().__init__(" ".join(sentences) % values)


def gettext_noop(text: str) -> str:
    """Marks a text for translators. What it says in other languages is for others to look up."""
    return text


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

_QUOTE_IT = gettext_noop("Put it in single quotes to keep it as it is, or run this line at home.")
_QUOTE_ALL = gettext_noop(
    "To keep all of it in the lab, write docker exec agent sh -c '…', or run this line at home."
)
_WHY_NOT: dict[str, tuple[str, ...]] = {
    "|": (
        gettext_noop("Here | would feed a program on your own computer, not in the lab."),
        _QUOTE_ALL,
    ),
    "&": (
        gettext_noop("Here & would start something on your own computer, not in the lab."),
        _QUOTE_ALL,
    ),
    ";": (
        gettext_noop("Here ; would end the command, and your own computer would go on."),
        _QUOTE_ALL,
    ),
    "<": (gettext_noop("Here < would read from your own computer, not from the lab."), _QUOTE_ALL),
    ">": (
        gettext_noop("Here > would write a file on your own computer, not in the lab."),
        _QUOTE_ALL,
    ),
    "(": (gettext_noop("Here ( would start a second shell on your own computer."), _QUOTE_IT),
    ")": (gettext_noop("Here ) would end a second shell on your own computer."), _QUOTE_IT),
    "{": (gettext_noop("Here { means different things to different shells."), _QUOTE_IT),
    "~": (
        gettext_noop("Here ~ would be your home folder on your own computer."),
        gettext_noop("Write /home/node for the one in the lab, or run this line at home."),
    ),
    "#": (
        gettext_noop("Here # begins a comment."),
        gettext_noop("Leave the comment out, or put the # in single quotes."),
    ),
    "$": (
        gettext_noop("Your own computer would fill in what begins with $ before the lab sees it."),
        gettext_noop("Write \\$ to leave that to the lab, or run this line at home."),
    ),
    "`": (
        gettext_noop("Your own computer would run what follows ` before the lab sees it."),
        gettext_noop("Write \\` to leave that to the lab, or run this line at home."),
    ),
    "'": (
        gettext_noop("A single quote ' opens here and is never closed."),
        gettext_noop("Add the missing one."),
    ),
    '"': (
        gettext_noop('A double quote " opens here and is never closed.'),
        gettext_noop("Add the missing one."),
    ),
    "\\": (
        gettext_noop("The line ends in a backslash, so more should follow."),
        gettext_noop("Take it away, or write the rest."),
    ),
    "\r": (
        gettext_noop("The line has a Windows line end in it."),
        gettext_noop("Type it again by hand, on one line."),
    ),
    "\n": (
        gettext_noop("This is more than one command. Run one at a time."),
        gettext_noop(
            "To go on with the same command in a new line, end the line before it with a backslash."
        ),
    ),
}
_PATTERN_SIGNS = "*?["
_STANDS_FOR_FILES = gettext_noop(
    "Here %(sign)s would stand for files of your own computer, not of the lab."
)
_FALSE_SPACE = (
    gettext_noop("The line has a character that looks like a space but is none (%(code)s)."),
    gettext_noop("Type a space in its place."),
)


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
                raise NotRunnable(*_WHY_NOT["\n"])
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
        raise _refusal_of(text)
    return text


def _unescape(match: re.Match[str]) -> str:
    if match["expansion"]:
        raise NotRunnable(*_WHY_NOT[match["expansion"][0]])
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


def _refusal_of(char: str) -> NotRunnable:
    if char in _PATTERN_SIGNS:
        return NotRunnable(_STANDS_FOR_FILES, _QUOTE_ALL, sign=char)
    if char in _WHY_NOT:
        return NotRunnable(*_WHY_NOT[char])
    return NotRunnable(*_FALSE_SPACE, code=f"U+{ord(char):04X}")


def shown(text: str) -> str:
    """`text` fit for a sentence: short, and nothing in it that can't be seen."""
    visible = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return visible if len(visible) <= 40 else visible[:39] + "…"
