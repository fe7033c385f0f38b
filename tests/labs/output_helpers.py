"""An output, its page, and the page taken apart."""

from html.parser import HTMLParser

from labs.output import PAGE, Limits, Screen

SMALL = Limits(head_lines=3, tail_lines=2, line_columns=10)


def screen_of(*outputs: str | bytes, limits: Limits = PAGE) -> Screen:
    screen = Screen(limits)
    for output in outputs:
        screen.feed(output.encode() if isinstance(output, str) else output, "stdout")
    return screen


def text_of(*outputs: str | bytes) -> str:
    return screen_of(*outputs).plain_text()


def html_of(*outputs: str | bytes) -> str:
    """The HTML of an output of one line, without the line's own element."""
    return (
        screen_of(*outputs).html().removeprefix('<span class="output-line">')[: -len("\n</span>")]
    )


class Reader(HTMLParser):
    """Takes HTML apart: its classes, and its text without what only a screen reader says."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.classes: list[str] = []
        self.text = ""
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert (tag, [name for name, _ in attrs]) == ("span", ["class"])
        self._open.append(str(attrs[0][1]))
        self.classes.append(self._open[-1])

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if "visually-hidden" not in self._open:
            self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader
