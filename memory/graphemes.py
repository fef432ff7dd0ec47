"""Where a text may be cut: never inside what a reader sees as one character.

The rules are a cautious reading of Unicode UAX #29: a place is refused when any rule might join its two sides, so every
place that is allowed is a boundary there too, while some rare boundaries are not used.
"""

from __future__ import annotations

import unicodedata

_ZWJ = "\u200d"
_JOINS_LEFT = "\u200c\u200d\uff9e\uff9f"
_PREPENDED = "\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd"
_VIRAMA = 9
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def floor(text: str, index: int, start: int = 0) -> int:
    """The last place at or before ``index`` where ``text`` may be cut.

    Args:
        text: any text; lone surrogates are treated like other characters.
        index: the wished place, in characters, 0..len(text).
        start: a place that is known to be allowed; nothing before it is looked at.

    Returns:
        A place in ``start..index``; ``start`` when everything between is one grapheme.
    """
    while start < index < len(text) and _joined(text, index, start):
        index -= 1
    return index


def ceiling(text: str, index: int, start: int = 0) -> int:
    """The first place at or after ``index`` where ``text`` may be cut; ``start`` is a place known to be allowed."""
    while start < index < len(text) and _joined(text, index, start):
        index += 1
    return index


def _joined(text: str, index: int, start: int) -> bool:
    left, right = text[index - 1], text[index]
    if left.isascii() and right.isascii():
        return left == "\r" and right == "\n"
    return (
        _extends(right)
        or left == _ZWJ
        or unicodedata.combining(left) == _VIRAMA
        or _is_prepended(left)
        or _is_hangul_pair(left, right)
        or _is_surrogate_pair(left, right)
        or (_is_flag(left) and _is_flag(right) and _flags_before(text, index, start) % 2 == 1)
    )


def _extends(char: str) -> bool:
    """Combining marks, joiners, variation selectors, skin tones and tags belong to the character before them."""
    return (
        unicodedata.category(char)[0] == "M"
        or char in _JOINS_LEFT
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or char in "\u0e33\u0eb3"
    )


def _is_prepended(char: str) -> bool:
    return "\u0600" <= char <= "\u0605" or char == "\u06dd" or char in _PREPENDED


def _is_hangul_pair(left: str, right: str) -> bool:
    """Leading consonants and syllables take vowels and trailing consonants."""
    leads = "\u1100" <= left <= "\u11ff" or "\uac00" <= left <= "\ud7fb" or "\ua960" <= left <= "\ua97c"
    vowel_or_tail = "\u1160" <= right <= "\u11ff" or "\ud7b0" <= right <= "\ud7fb"
    syllable_after_lead = ("\u1100" <= left <= "\u115f" or "\ua960" <= left <= "\ua97c") and (
        "\u1100" <= right <= "\u115f" or "\uac00" <= right <= "\ud7a3" or "\ua960" <= right <= "\ua97c"
    )
    return leads and (vowel_or_tail or syllable_after_lead)


def _is_surrogate_pair(left: str, right: str) -> bool:
    return "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff"


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, index: int, start: int) -> int:
    """How many regional indicators stand right before ``index``: two make a flag."""
    before = text[start:index]
    return len(before) - len(before.rstrip(_FLAGS))
