"""One file read as a document, by the ending of its name; whatever is wrong with it is one sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.system_words import system_reason
from memory_secretary.nodes.distill.decoding import decoded
from memory_secretary.nodes.distill.document import Document, Unreadable
from memory_secretary.nodes.distill.office import read_pdf, read_word
from memory_secretary.nodes.distill.page import read_page
from memory_secretary.nodes.distill.texts import read_json, read_markdown, read_table, read_text

MOST_BYTES, MOST_CHARACTERS = 50_000_000, 5_000_000
"""Of a file, and of its text: some 2,000 pages."""


def _text(read: Callable[[str], Document]) -> Callable[[bytes], Document]:
    return lambda data: read(decoded(data))


READERS: Mapping[str, Callable[[bytes], Document]] = {
    ".txt": _text(read_text), ".text": _text(read_text), ".rst": _text(read_text), ".log": _text(read_text),
    ".md": _text(read_markdown), ".markdown": _text(read_markdown),
    ".html": _text(read_page), ".htm": _text(read_page),
    ".csv": _text(read_table), ".tsv": _text(read_table),
    ".json": _text(read_json), ".jsonl": _text(read_json),
    ".docx": read_word, ".pdf": read_pdf,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it lies on the disk.

    Attributes:
        path: absolute.
        data: its bytes.
        digest: of these.
        at: when it was last written.
    """

    path: Path
    data: bytes
    digest: str
    at: datetime


def source_of(path: Path) -> Source:
    """A file's bytes and what identifies them.

    Raises:
        Unreadable: it is no document, too large, or may not be read.
    """
    if path.suffix.lower() not in READERS:
        kinds = " ".join(READERS)
        raise Unreadable(f"it is no document of a known kind ({kinds})", zh=f"不是已知类型的文档（{kinds}）")
    try:
        if not path.is_file():
            raise Unreadable("it is no file that can be read: name another", zh="它不是可读的文件：请换一个")
        facts = path.stat()
        if facts.st_size > MOST_BYTES:
            raise _too_large(f"{facts.st_size // 1_000_000:,} MB", f"{MOST_BYTES // 1_000_000:,} MB")
        data = path.read_bytes()
    except OSError as error:
        en, zh = system_reason(error)
        raise Unreadable(f"it cannot be read: {en}", zh=f"无法读取：{zh}") from error
    return Source(path, data, hashlib.sha256(data).hexdigest(), datetime.fromtimestamp(facts.st_mtime, UTC))


def document_of(source: Source) -> Document:
    """What a file says; its name stands for a title that it does not have.

    Raises:
        Unreadable: it is empty, damaged, closed, scanned, or in an unknown encoding.
    """
    document = READERS[source.path.suffix.lower()](source.data)
    blocks = tuple(block for block in document.blocks if block.text.strip())
    if not blocks:
        raise Unreadable("it is empty: there is nothing to distill", zh="它是空的：没有可提炼的内容")
    size = sum(len(block.text) for block in blocks)
    if size > MOST_CHARACTERS:
        characters = said("{:,} characters", "{:,} 个字符")
        raise _too_large(characters.format(size), characters.format(MOST_CHARACTERS))
    return Document(" ".join(document.title.split()) or source.path.stem, blocks)


def _too_large(size: str, most: str) -> Unreadable:
    return Unreadable(f"it has {size}, more than {most}: split it", zh=f"它有 {size}，超过 {most}：请拆分")
