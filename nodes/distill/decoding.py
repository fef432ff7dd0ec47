"""The text of a file in whatever encoding it was written: UTF-8, UTF-16, GB18030, Big5 or Windows-1252."""

from __future__ import annotations

import codecs
import re

from memory_secretary.nodes.distill.document import Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_USUAL = 0.7
"""Share of a text's Chinese signs that must be in daily use; of what was no Chinese, most come out as rare ones."""
_WESTERN = re.compile(r"[^\W\d_][À-ÿ][^\W\d_]|[À-ÿ][a-z]|[a-z][À-ÿ]|[‘’“”–—…€°§£«»]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x80-\x9f]")


def decoded(data: bytes) -> str:
    """The text of these bytes, with line feeds at its line ends.

    Raises:
        Unreadable: it is no text, or in an encoding that cannot be told.
    """
    text = _marked(data)
    if text is None:
        if b"\x00" in data:
            raise Unreadable(
                "it is binary and no text: save it as txt, docx or pdf",
                zh="这是二进制文件，不是文本：请另存为 txt、docx 或 pdf",
            )
        text = _told(data)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _marked(data: bytes) -> str | None:
    """By the mark at its beginning."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _strictly(data, name)
    return None


def _told(data: bytes) -> str:
    """By what it looks like in each encoding, the likeliest first."""
    text = _strictly(data, "utf-8")
    if text is not None:
        return text
    for name in ("gb18030", "big5"):
        text = _strictly(data, name)
        if text is not None and _is_chinese(text):
            return text
    text = _strictly(data, "cp1252")
    if text is not None and _WESTERN.search(text) and not _CONTROL.search(text):
        return text
    raise Unreadable(
        "its encoding cannot be told: save it as UTF-8", zh="无法判断它的编码：请另存为 UTF-8"
    )  # fmt: skip


def _strictly(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        return None


def _is_chinese(text: str) -> bool:
    """Whether most signs are those of the first level of GB 2312 or common in Big5, in runs as in a sentence."""
    signs = re.findall(r"[^\x00-\x7f]", text)
    usual = [sign for sign in signs if _is_usual(sign)]
    return bool(signs) and len(usual) >= _USUAL * len(signs)


def _is_usual(sign: str) -> bool:
    simplified, traditional = sign.encode("gb2312", "ignore"), sign.encode("big5", "ignore")
    return (
        0xA1 <= simplified[0] < 0xD8 if simplified else len(traditional) > 1 and 0xA1 <= traditional[0] < 0xC7
    )  # fmt: skip
