"""Word and PDF files as documents; the libraries that read them are an extra, loaded when the first one comes."""

from __future__ import annotations

import io
import logging
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memory_secretary.nodes.distill.document import Block, Document, Unreadable
from memory_secretary.nodes.distill.texts import is_title, read_text, rows

if TYPE_CHECKING:
    from docx.document import Document as Word

_MOST_UNPACKED = 300_000_000
"""Bytes that a Word file may hold unpacked."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
"""How files of Word before 2007 begin, and those that a password closes."""
_LEVEL = re.compile(r"(?:heading|标题|titre|überschrift)\s*(\d)", re.IGNORECASE)
_BROKEN = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, NotImplementedError, OSError,
           SyntaxError, zlib.error, zipfile.BadZipFile)  # fmt: skip
"""What the libraries raise at damaged files, beside errors of their own."""


def read_word(data: bytes) -> Document:
    """Paragraphs, headings by their styles, and tables, in the order in which they stand.

    Raises:
        Unreadable: it is closed by a password, damaged, or the library is missing.
    """
    if data.startswith(_OLD_OFFICE):
        raise Unreadable(
            "it is closed by a password, or of Word before 2007: save it as docx without one",
            zh="它有密码，或是 Word 2007 以前的格式：请另存为没有密码的 docx",
        )
    try:
        import docx
        from docx.opc.exceptions import PackageNotFoundError
    except ImportError as error:
        raise _missing("python-docx") from error
    try:
        _demand_size(data)
        return _of_word(docx.Document(io.BytesIO(data)))
    except (PackageNotFoundError, *_BROKEN) as error:
        raise error if isinstance(error, Unreadable) else _damaged("Word", error) from error


def _demand_size(data: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if sum(part.file_size for part in packed.infolist()) > _MOST_UNPACKED:
            raise Unreadable("unpacked it is too large: split it", zh="解压后过大：请拆分")


def _of_word(word: Word) -> Document:
    title, heads, blocks = word.core_properties.title or "", dict[int, str](), list[Block]()
    for part in word.iter_inner_content():
        above = tuple(words for words in heads.values() if words != title)
        if hasattr(part, "rows"):
            blocks += rows([[cell.text for cell in line.cells] for line in part.rows], above)
            continue
        words, style = " ".join(part.text.split()), (part.style.name or "") if part.style else ""
        level = _LEVEL.match(style)
        if style in ("Title", "标题") and words:
            title = title or words
        elif level and words:
            heads = {deep: other for deep, other in heads.items() if deep < int(level[1])} | {int(level[1]): words}
        elif words:
            blocks.append(Block(words, above))
    return Document(title, tuple(blocks))


def read_pdf(data: bytes) -> Document:
    """The text of the pages, read as plain text is.

    Raises:
        Unreadable: it is closed by a password, scanned, damaged, or the library is missing.
    """
    try:
        import pypdf
    except ImportError as error:
        raise _missing("pypdf") from error
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it mends on the way is nobody's concern
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("it is closed by a password: save it without one", zh="它有密码：请另存为没有密码的文件")
        pages = [page.extract_text() for page in reader.pages]
        title = (reader.metadata.title if reader.metadata else "") or ""
    except (pypdf.errors.PyPdfError, *_BROKEN) as error:
        raise error if isinstance(error, Unreadable) else _damaged("PDF", error) from error
    if not any(page.strip() for page in pages):
        raise Unreadable(
            "it holds pictures of text and no text (a scan?): run it through text recognition first, e.g. ocrmypdf",
            zh="其中只有图像而没有文字（扫描件？）：请先做文字识别，例如用 ocrmypdf",
        )
    return _of_pages(title.strip(), pages)


def _of_pages(title: str, pages: list[str]) -> Document:
    first, *others = [line for line in _joined(pages) if line] or [""]
    headed = bool(others) and is_title(first)
    read = read_text("\n".join(_joined(pages)).split(first, 1)[1] if headed else "\n".join(_joined(pages)))
    return Document(title or (first if headed else read.title), read.blocks)


def _joined(pages: list[str]) -> Iterator[str]:
    """The pages without what stands at the same place of each (running titles) and without page numbers."""
    lines = [[line.strip() for line in page.split("\n")] for page in pages]
    edges = [line for page in lines for line in {page[0], page[-1]} if line]
    running = {line for line in edges if len(pages) > 2 and edges.count(line) > len(pages) / 2}
    for page in lines:
        for line in page:
            if line not in running and not re.fullmatch(
                r"(?:page|第)?\s*\d{1,4}\s*(?:页|(?:of|/)\s*\d+)?", line, re.IGNORECASE
            ):
                yield line


def _missing(library: str) -> Unreadable:
    return Unreadable(
        f"reading it needs {library}: pip install 'memory-secretary[documents]'",
        zh=f"读取它需要 {library}：pip install 'memory-secretary[documents]'",
    )


def _damaged(kind: str, error: Exception) -> Unreadable:
    return Unreadable(
        f"it cannot be read as {kind} ({type(error).__name__}): is it whole? save it anew",
        zh=f"无法作为 {kind} 读取（{type(error).__name__}）：文件完整吗？请重新保存",
    )
