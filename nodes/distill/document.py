"""A document as it is taken in: blocks of text, each under its headings; and why one cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from memory_secretary.memory.errors import MemorySecretaryError


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list item or the row of a table.

    Attributes:
        text: on one line; the cells of a row stand between ``" | "``.
        heading: the headings it stands under, the outermost first.
        columns: the names of a row's columns; empty for a paragraph.
    """

    text: str
    heading: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says: its title, empty where it names none, and its blocks in order."""

    title: str
    blocks: tuple[Block, ...]


class Unreadable(MemorySecretaryError, ValueError):
    """A file cannot be taken in; the sentence says why and what helps."""


class Failure(TypedDict):
    """What could not be distilled, and why in one sentence."""

    path: str
    reason: str


CELL = " | "
"""Between the cells of a row, whatever stood there in the file."""


def row(cells: list[str]) -> str:
    """The cells of a row on one line."""
    return CELL.join(" ".join(cell.split()).replace("|", "¦") for cell in cells)
