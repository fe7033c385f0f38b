"""Bytes of one stream to tokens: text, control characters, and escape sequences held whole."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from labs.output.colours import PLAIN, restyled

MAX_STRING_CHARS = 4096
"""An escape string (OSC, DCS, …) that is not closed by then, or within its line, is given up."""

_PARAMETERS = r"[0-?]{0,256}+[ -/]{0,16}+"
_STRING = rf"[^\x07\x18\x1a\x1b\x9c\n]{{0,{MAX_STRING_CHARS}}}+"

# `partial` waits for more; what `inert` matches is dropped, finished or not.
_TOKEN = re.compile(
    rf"""
      (?P<text> (?: [^\x08\t\n\r\x1b\x80-\x9f]++ | \r?\n )++ )
    | (?P<sequence> (?: \x1b\[ | \x9b )
        (?P<parameters> [0-?]{{0,256}}+ ) (?P<between> [ -/]{{0,16}}+ ) (?P<final> [@-~] ) )
    | (?P<string> (?: \x1b[\]PX^_] | [\x90\x98\x9d-\x9f] ) {_STRING}
        (?: \x1b\\ | [\x07\x18\x1a\x9c] ) )
    | (?P<partial> (?:
          \x1b (?: \[ {_PARAMETERS} | [\]PX^_] {_STRING} \x1b?+ | [ -/]{{0,16}}+ )
        | \x9b {_PARAMETERS}
        | [\x90\x98\x9d-\x9f] {_STRING} \x1b?+ ) \Z )
    | (?P<inert>
          \x1b (?: \[ {_PARAMETERS} | [\]PX^_] {_STRING} | [ -/]{{0,16}}+ [0-~]?+ )
        | \x9b {_PARAMETERS}
        | [\x90\x98\x9d-\x9f] {_STRING}
        | [\x80-\x9f] )
    | (?P<control> [\x08\t\r] )
    """,
    re.VERBOSE,
)


class Scanner:
    """Keeps between two pieces of a stream what a piece may have been cut in: see `tokens`."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._style = PLAIN
        self.classes = ""
        """Class names of the text that comes."""

    def tokens(self, data: bytes, *, is_last: bool = False) -> Iterator[re.Match[str]]:
        """Every finished token. An unfinished character or escape sequence waits for the rest."""
        text = self._held + self._decoder.decode(data, is_last)
        self._held = ""
        for token in _TOKEN.finditer(text):
            if token.lastgroup == "partial":
                self._held = token[0]
            else:
                yield token

    def restyle(self, parameters: str) -> None:
        self._style, self.classes = restyled(self._style, parameters)
