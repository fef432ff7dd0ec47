"""Lines broken where a reader would break them: at blanks and between Chinese signs, never inside a word or number."""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

_PIECE = re.compile(
    r"[^\S\n]+|\n"
    r"|[「『“‘（《【]*[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60][，。、；：？！）》】」』”’…—]*"
    r"|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff60]+"
)
"""What stays together: blanks, an East Asian sign with its punctuation, anything else between such."""
_COMMAND = re.compile(r"memory-secretary [a-z]|ollama [a-z]|pip install|bootstrap\.py|`|://")
"""A line with something to copy is left to the terminal, which breaks it without a line end."""


class LineBreaks:
    """Puts line ends into a text that comes in pieces.

    Args:
        width: columns of the screen.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._column = 0
        self._held = ""  # what may go on in the next piece
        self._blank = ""  # is written only where the line goes on after it

    def feed(self, text: str) -> str:
        """As much of the text so far as cannot change any more, with line ends; those of the text stay."""
        pieces = _PIECE.findall(self._held + text)
        self._held = pieces.pop() if pieces else ""
        return "".join(map(self._put, pieces))

    def end(self) -> str:
        """The rest."""
        rest, self._held = self._held, ""
        return self._put(rest) if rest else ""

    def _put(self, piece: str) -> str:
        if piece == "\n":
            self._column, self._blank = 0, ""
            return piece
        if piece.isspace():
            self._blank += piece
            return ""
        blank, self._blank = self._blank, ""
        width = cell_len(piece)
        if self._column and self._column + len(blank) + width > self._width >= width:
            self._column = width
            return f"\n{piece}"
        self._column = (self._column + len(blank) + width) % self._width or self._width
        return f"{blank}{piece}"


def broken(text: str, width: int) -> str:
    """The text with line ends so that no word is torn at this width; what is wider than that is left whole."""
    breaks = LineBreaks(width)
    return breaks.feed(text) + breaks.end()


def print_broken(console: Console, text: str | Text, style: str = "") -> None:
    """Print a text broken at this screen's width; in a file, and where it holds something to copy, unbroken."""
    shown = Text(text, style) if isinstance(text, str) else text
    console.print(_styled(shown, console.width) if console.is_terminal else shown, soft_wrap=True)


def _styled(text: Text, width: int) -> Text:
    """The text with other line ends, and its styles where they were; a line with something to copy stays whole."""
    parts = (
        [line] if _COMMAND.search(line.plain) else broken_lines(line, width)
        for line in text.split("\n", allow_blank=True)
    )
    return Text("\n").join(line for lines in parts for line in lines)


def broken_lines(text: Text, width: int) -> list[Text]:
    """The lines of a text broken at this width, with its styles where they were."""
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        start = 0
        for piece in broken(line.plain, width).split("\n"):
            start = line.plain.index(piece, start)
            lines.append(line[start : start + len(piece)])
            start += len(piece)
    return lines
