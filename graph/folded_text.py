"""A paragraph of Chinese on a terminal: a line may end behind any of its signs, but inside of no foreign word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

_PIECE = re.compile(r"\s*[（“]*(?:[!-~]+|.)[，。；：、）”]*")
"""What stays on one line: a foreign word or one sign, with the marks that may not be parted from it."""
_LEAST = 20
"""Columns below which such a paragraph is no longer readable."""


def ends_of_lines(text: str, width: int) -> list[int]:
    """Where the lines of ``text`` end that are no wider than ``width`` columns, but for a word that is wider itself."""
    ends, filled = [], 0
    for piece in _PIECE.finditer(text):
        wide = cell_len(piece[0])
        if filled and filled + wide > width:
            ends.append(piece.start())
            filled, wide = 0, cell_len(piece[0].lstrip())
        filled += wide
    return ends


class FoldedText:
    """Texts, one behind the other, as one paragraph.

    Args:
        texts: with their styles.
    """

    def __init__(self, texts: Sequence[Text]) -> None:
        self._text = Text(" ").join(texts)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """As wide as there is room."""
        return Measurement(min(_LEAST, cell_len(self._text.plain), options.max_width), options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its lines."""
        for line in self._text.divide(ends_of_lines(self._text.plain, options.max_width)):
            line.rstrip()
            first = len(line.plain) - len(line.plain.lstrip())
            yield line[first:]
