"""A web page as a document: its text under its headings, without scripts, menus and footers."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from memory_secretary.nodes.distill.document import Block, Document
from memory_secretary.nodes.distill.texts import rows

_LEFT_OUT = frozenset("script style noscript template svg nav footer form select button iframe".split())
_BREAKS = frozenset(
    "address article aside blockquote body br caption dd div dl dt figcaption figure header hr html li main ol p pre "
    "section table tbody thead tfoot tr ul td th h1 h2 h3 h4 h5 h6 title".split()
)


class _Reader(HTMLParser):
    """Collects blocks; what is not closed in a broken page ends with what follows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.blocks: list[Block] = []
        self._heads: dict[int, str] = {}
        self._words: list[str] = []
        self._left_out: list[str] = []
        self._rows: list[list[str]] = []
        self._tables = 0
        self._cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag in _LEFT_OUT:
            self._left_out.append(tag)
        elif tag in _BREAKS:
            self._started(tag)

    def _started(self, tag: str) -> None:
        if self._cell and tag not in ("td", "th", "tr", "table"):
            self._words.append(" ")
            return
        self._end_block()
        if tag == "table":
            self._tables += 1
        elif tag == "tr" and self._tables:
            self._rows.append([])
        elif tag in ("td", "th") and self._tables:
            self._rows = self._rows or [[]]
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in self._left_out:
            del self._left_out[self._left_out.index(tag) :]
        elif tag == "title":
            self.title = self.title or self._taken()
        elif re.fullmatch("h[1-6]", tag) and not self._cell:
            self._heading(int(tag[1]), self._taken())
        elif tag in _BREAKS and (not self._cell or tag in ("td", "th", "tr", "table")):
            self._end_block()
        if tag == "table" and self._tables:
            self._tables -= 1
            self.end_table()

    def handle_data(self, data: str) -> None:
        if not self._left_out:
            self._words.append(data)

    def _heading(self, level: int, words: str) -> None:
        if words:
            self._heads = {deep: other for deep, other in self._heads.items() if deep < level} | {level: words}
            self.title = self.title or (words if level == 1 else "")

    def _taken(self) -> str:
        words = " ".join("".join(self._words).split())
        self._words = []
        return words

    @property
    def _above(self) -> tuple[str, ...]:
        return tuple(words for words in self._heads.values() if words != self.title)

    def _end_block(self) -> None:
        words = self._taken()
        if self._cell:
            self._rows[-1].append(words)
            self._cell = False
        elif words:
            self.blocks.append(Block(words, self._above))

    def end_table(self) -> None:
        """What its rows hold becomes blocks."""
        if self._cell:
            self._end_block()
        self.blocks += rows([cells for cells in self._rows if cells], self._above)
        self._rows = []

    def close(self) -> None:
        """Take what stands behind the last tag, too."""
        super().close()
        self._end_block()
        self.end_table()


def read_page(text: str) -> Document:
    """The blocks of an HTML page; an unclosed tag loses nothing of the text."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return Document(reader.title, tuple(reader.blocks))
