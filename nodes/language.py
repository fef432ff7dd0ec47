"""Which language a text is in, as far as headings and reminders care."""

from __future__ import annotations

import re

from memory_secretary.memory.bilingual import Lang

_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")


def language_of(text: str) -> Lang:
    """``zh`` when a fifth of the letters are Chinese characters (a Chinese sentence may quote paths), else ``en``."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_HAN.findall(text)) / letters >= 0.2 else "en"
