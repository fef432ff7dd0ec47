"""Records as offices keep them: a few facts among much noise, in seven formats."""

from __future__ import annotations

import csv
import html
import io
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

Part = TypeVar("Part")
Cells = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that a record says: as a sentence, and (for tables) as a row of ``(column, value)`` under a label."""

    text: str
    label: str = ""
    cells: Cells = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a record holds, in the order in which it is told.

    Attributes:
        title: with the record's name.
        date: as ``2026-03-09``.
        author: who wrote it.
        readers: who else is named as sender or reader of a message.
        lines: facts and noise, mixed.
        space: what stands between two sentences; nothing in Chinese.
    """

    title: str
    date: str
    author: str
    readers: tuple[str, ...]
    lines: Sequence[Line]
    space: str


def render(document: Document, rng: random.Random) -> str:
    """The document's text in a format drawn by ``rng``, which also draws times and the length of paragraphs."""
    return rng.choice(FORMATS)(document, rng)


def prose(document: Document, rng: random.Random) -> str:
    """A report in paragraphs."""
    head = f"{document.title}\n{document.author}, {document.date}"
    paragraphs = (document.space.join(part) for part in _parts([line.text for line in document.lines], rng))
    return "\n\n".join([head, *paragraphs])


def mail(document: Document, rng: random.Random) -> str:
    """A thread of messages, the oldest one last and quoted."""
    size = len(document.lines) // 3 + 1
    bodies = [document.lines[start : start + size] for start in range(0, len(document.lines), size)]
    people = (document.author, *document.readers)
    messages = []
    for depth, body in enumerate(bodies):
        sender, reader = people[depth % len(people)], people[(depth + 1) % len(people)]
        head = f"From: {sender}\nTo: {reader}\nDate: {document.date} {_time(18 - 4 * depth, rng)}"
        subject = f"Subject: {'Re: ' * (len(bodies) - depth - 1)}{document.title}"
        text = "\n\n".join(document.space.join(part) for part in _parts([line.text for line in body], rng))
        messages.append(_quoted(f"{head}\n{subject}\n\n{text}", depth))
    return "\n\n".join(messages)


def log(document: Document, rng: random.Random) -> str:
    """A diary of the day, one line an entry."""
    minutes = sorted(rng.randrange(6 * 60, 22 * 60) for _ in document.lines)
    stamps = [f"{minute // 60:02}:{minute % 60:02}" for minute in minutes]
    entries = [
        f"{stamp} [{rng.choice('ABCD')}{rng.randint(1, 4)}] {line.text}"
        for stamp, line in zip(stamps, document.lines, strict=True)
    ]
    return "\n".join([f"# {document.title} – {document.author}, {document.date}", *entries])


def web_page(document: Document, rng: random.Random) -> str:
    """HTML with its furniture."""
    tables = [_html_table(header, rows) for header, rows in _tables(document)]
    notes = [f'<p class="note">{html.escape(note)}</p>' for note in _paragraphs(document, rng)]
    body = "\n".join(_between(notes, tables))
    title = html.escape(document.title)
    return (
        f'<!doctype html>\n<html>\n<head><meta charset="utf-8"><title>{title}</title></head>\n<body>\n'
        f'<nav><a href="/">Start</a> <a href="/all?page={rng.randint(1, 9)}">…</a></nav>\n<h1>{title}</h1>\n'
        f'<div class="meta">{document.author} · {document.date}</div>\n{body}\n</body>\n</html>'
    )


def json_record(document: Document, rng: random.Random) -> str:
    """An export of a database."""
    data = {
        "title": document.title,
        "date": document.date,
        "author": document.author,
        "revision": rng.randint(1, 9),
        "notes": _notes(document),
        "entries": [{"name": line.label, **dict(line.cells)} for line in document.lines if line.cells],
    }
    return json.dumps(data, ensure_ascii=False, indent=1)


def csv_table(document: Document, _rng: random.Random) -> str:
    """A sheet saved as CSV, with remarks above and below its tables."""
    tables = [["", *header] if row is None else row for header, rows in _tables(document) for row in (None, *rows)]
    remarks = [[f"#{number}", note] for number, note in enumerate(_notes(document), start=1)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([document.title, document.author, document.date])
    writer.writerows(_between(remarks, tables))
    return out.getvalue()


def markdown_table(document: Document, rng: random.Random) -> str:
    """A page of a wiki."""
    tables = []
    for header, rows in _tables(document):
        lines = [["", *header], ["---"] * (len(header) + 1), *rows]
        tables.append("\n".join(f"| {' | '.join(cells)} |" for cells in lines))
    notes = [f"- {note}" for note in _paragraphs(document, rng)]
    return "\n\n".join([f"# {document.title}", f"*{document.author}, {document.date}*", *_between(notes, tables)])


FORMATS: tuple[Callable[[Document, random.Random], str], ...] = (
    *(prose, mail, log, web_page),
    *(json_record, csv_table, markdown_table),
)


def _between(notes: Sequence[Part], tables: Sequence[Part]) -> list[Part]:
    """The tables in the midst of the notes, where no clipping to head and tail spares them."""
    half = len(notes) // 2
    return [*notes[:half], *tables, *notes[half:]]


def _paragraphs(document: Document, rng: random.Random) -> Iterator[str]:
    return (document.space.join(part) for part in _parts(_notes(document), rng))


def _notes(document: Document) -> list[str]:
    return [line.text for line in document.lines if not line.cells]


def _tables(document: Document) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Header and rows of each table: the lines with the same columns."""
    rows = sorted((line for line in document.lines if line.cells), key=_columns)
    for header, lines in groupby(rows, key=_columns):
        yield header, [[line.label, *(value for _, value in line.cells)] for line in lines]


def _columns(line: Line) -> list[str]:
    return [column for column, _ in line.cells]


def _html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in ("", *header))
    body = "\n".join(
        "<tr>" + "".join(f'<td class="c{place}">{html.escape(cell)}</td>' for place, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f'<table class="data">\n<tr>{head}</tr>\n{body}\n</table>'


def _parts(texts: Sequence[str], rng: random.Random) -> Iterator[Sequence[str]]:
    start = 0
    while start < len(texts):
        size = rng.randint(3, 6)
        yield texts[start : start + size]
        start += size


def _quoted(text: str, depth: int) -> str:
    mark = "> " * depth
    return "\n".join(f"{mark}{line}".rstrip() for line in text.splitlines())


def _time(hour: int, rng: random.Random) -> str:
    return f"{hour:02}:{rng.randrange(60):02}"
