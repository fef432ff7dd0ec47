"""How many tokens a text costs, and how to make it fit.

The estimate needs no tokenizer. It was fitted to the byte-pair encoding of Qwen2.5: it stays at or above the true count
of Chinese, Japanese, emoji, base64, code, numbers and blanks, and within a quarter above it on English prose
(``tests/memory/test_tokens.py`` holds measured counts). DeepSeek's encoding is covered as well; that of Mistral
(Tekken) takes up to 15 % more than the estimate for some Chinese texts.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from string import ascii_lowercase

from memory_secretary.memory import graphemes
from memory_secretary.memory.bilingual import said

TokenCounter = Callable[[str], int]
"""Gives the number of tokens of a text; ``len`` will do in a test."""

_PIECE = re.compile(
    r"['’](?:s|t|re|ve|m|ll|d)(?![A-Za-z])"
    r"| ?(?:[A-Z]?[a-z]{1,24}|[A-Z]{1,24})"  # words, with the blank before them, and the humps of camelCase
    r"|[0-9]"  # Qwen gives every digit its own token
    r"|\n+|\r|[ \t]{2,}|\t| (?![!-/:-~‘’“”–—…])"  # one blank before a word or a sign costs nothing
    r"|(?:-{2,}|={2,}|\*{2,}|_{2,}|\.{2,}|#{2,}|/{2,}|[!-/:-@\[-`{-~‘’“”–—…]+)\n*"  # rulers, other signs, a line's end
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_NARROW = re.compile(r"[\x00-\x7f‘’“”–—…]+")

_PAIRS = (
    "31006315262000705000224303",  # a
    "13330455134045055223045425",  # b
    "05140550160046045130055525",  # c
    "14520445054355156215235426",  # d
    "04001225465000522000613035",  # e
    "14441045074245055242155437",  # f
    "24440541177352257124246535",  # g
    "04540555074444044340244423",  # h
    "12001106654010015000617271",  # i
    "33540575432546134534357767",  # j
    "35540445164453447625644836",  # k
    "05520456064056048621136606",  # l
    "02440556155326105424245526",  # m
    "04000204032232136500225324",  # n
    "32105215261000116010010446",  # o
    "05440653154046015020255425",  # p
    "54556775686346742544055577",  # q
    "05210324071312045200124505",  # r
    "25240451062345113500055604",  # s
    "06340550074236135001144405",  # t
    "21221415175000718000558346",  # u
    "05540555064555357555636656",  # v
    "04540542054341056225564346",  # w
    "45344476377547727552767235",  # x
    "56574766486534437624775645",  # y
    "35651574475556567667575333",  # z
)
"""What a pair of letters adds to the cost of a word, in eighths of a token: the row is the first letter, the column the
second. Fitted by least squares to the words of news, novels, talk, manuals and code, and to random letters."""
_PAIR_COST = {
    first + second: int(eighths) / 8
    for first, row in zip(ascii_lowercase, _PAIRS, strict=True)
    for second, eighths in zip(ascii_lowercase, row, strict=True)
}

_COMMON = frozenset(
    """a about after all also an and any are as at back be because been before but by can come could day did do even
    first for from get give go good had has have he her him his how i if in into is it its just know like look make me
    more most my new no not now of on one only or other our out over people said say see she so some take than that the
    their them then there these they think this through time two up us use very want was way we well were what when
    where which who will with work would year you your""".split()
)
"""Half of the words of English text. They are one token each, whatever their letters."""

_ALWAYS_COUNTED = 65_536
"""Texts up to this many characters are always counted before they are cut."""

_MOST_CHARS_PER_TOKEN = 32
"""A longer text than this many characters a token of the limit is taken not to fit without counting it, so that the
time for a text of megabytes depends on the limit and not on the text. Only long runs of one character are denser."""

_WHOLE_WORD = 40
"""A cut moves by at most this many characters to spare a word or a number."""


def estimate_tokens(text: str) -> int:
    """Tokens of ``text``, rather too many than too few; 0 only for the empty text. Linear in its length."""
    return _of_line(text) if len(text) <= _LINE else _estimated(text)


_LINE = 400
"""Characters; a brief's lines are counted again at each of its sections, and at each step."""


def _estimated(text: str) -> int:
    pieces = Counter(_PIECE.findall(text))
    wide = Counter(_NARROW.sub("", text))
    cost = sum(_cost(piece) * times for piece, times in (*pieces.items(), *wide.items()))
    return max(math.ceil(cost), 1 if text else 0)


_of_line = lru_cache(maxsize=1024)(_estimated)


@lru_cache(maxsize=65_536)
def _cost(piece: str) -> float:
    if _PIECE.fullmatch(piece) is None:
        return _wide_cost(piece)
    if piece.isspace():
        return _blank_cost(piece)
    if piece[-1].isalpha():
        return 1 if piece[0] in "'’" else _word_cost(piece)
    return _sign_cost(piece)


def _word_cost(piece: str) -> float:
    """Of a word of unusual pairs the usual ones are split, too, so their sum counts more than once."""
    word = piece.lstrip(" ")
    length, letters = len(word), word.lower()
    if letters in _COMMON:
        return 1
    unusual = sum(_PAIR_COST[first + second] for first, second in itertools.pairwise(letters))
    cost = 1 + unusual + 0.12 * unusual**2 + 0.1 * max(0, length - 8)
    if length > 3 and piece == word:
        cost += 0.2 + 0.03 * max(0, length - 5)  # tokens of whole words begin with their blank
    if length > 3 and word.istitle():
        cost += 0.25  # names
    if length > 2 and word.isupper():
        cost += 0.1 * (length - 2)
    return cost


def _blank_cost(blanks: str) -> int:
    if len(set(blanks)) > 1:
        return len(blanks)
    return 1 + len(blanks) // 16


def _sign_cost(piece: str) -> float:
    signs = piece.rstrip("\n")
    ends = len(piece) - len(signs)
    line_end = (0.2 if ends else 0) + max(0, ends - 2) / 8
    if len(signs) > 1 and len(set(signs)) == 1 and signs[0] in "-=*_.#/":
        return 1 + len(signs) // 6 + line_end
    return 1 + 0.75 * (len(signs) - 1) + line_end


def _wide_cost(char: str) -> float:
    """Up to the bytes of its UTF-8: byte-pair encodings without a token for a character fall back on those."""
    code = ord(char)
    if code < 0x800:
        return 2 if 0x300 <= code < 0x370 else 1
    if code < 0x1000 or 0x1E00 <= code < 0x2000 or code == 0xFE0F:
        return 2
    if code >= 0x10000:
        return 4
    if 0x2000 <= code < 0x2070 or 0x3000 <= code < 0x3100 or 0xFF00 <= code < 0xFFF0:
        return 1 if char.encode("gb2312", "ignore") else 2
    if 0x4E00 <= code < 0xA000:
        return _han_cost(char)
    if 0xAC00 <= code < 0xD7A4:
        return 1 if len(char.encode("euc_kr", "ignore")) == 2 else 2.2
    return 3


def _han_cost(char: str) -> float:
    """The first level of the set of 1980 holds the characters in daily use, and those have a token of their own."""
    in_set = char.encode("gb2312", "ignore")
    if not in_set:
        return 2.2  # of these, 3 of 100 take three tokens
    return 1 if in_set[0] < 0xD8 else 2


def clip(text: str, limit: int, counter: TokenCounter = estimate_tokens, *, ref: str | None = None) -> str:
    """Make ``text`` fit by leaving out its middle, and say so where it was.

    Args:
        text: any text, of any length.
        limit: the most tokens the result may have by ``counter``; 0 or more.
        counter: counts tokens.
        ref: the record that holds the whole text; the note then says how to read on from the cut.

    Returns:
        ``text`` itself when it fits, else its head (two thirds), a note with the number of characters left out, and its
        tail. No grapheme is cut, and no word or number of ordinary length. Where even the shortest note does not fit,
        the empty text.
    """
    if _fits(text, limit, counter):
        return text
    best = ""
    for note in _notes(ref):
        shortest = _cut(text, 0, note)
        if counter(shortest) <= limit:
            best = _longest_cut(text, limit, counter, note)
            if counter(note(len(text), 0)) * 2 <= limit:
                break
    return best


def _fits(text: str, limit: int, counter: TokenCounter) -> bool:
    return len(text) <= max(_ALWAYS_COUNTED, limit * _MOST_CHARS_PER_TOKEN) and counter(text) <= limit


_Note = Callable[[int, int], str]
"""Words the gap: characters left out, and the offset at which they begin."""


def _notes(ref: str | None) -> list[_Note]:
    """From the most helpful to the shortest; one that would take more than half of the room gives way to the next."""
    notes: list[_Note] = [
        lambda left_out, _: said(f"\n[… {left_out} characters left out …]\n", f"\n[……略去 {left_out} 个字符……]\n"),
        lambda left_out, _: f"[…{left_out}…]",
        lambda _, __: "…",
    ]
    if ref is not None:
        notes.insert(
            0,
            lambda left_out, start: said(
                f'\n[… {left_out} characters left out; read_record("{ref}", start={start}) reads them …]\n',
                f'\n[……略去 {left_out} 个字符；可用 read_record("{ref}", start={start}) 读取……]\n',
            ),
        )
    return notes


def _longest_cut(text: str, limit: int, counter: TokenCounter, note: _Note) -> str:
    """Search by halving for the most characters that fit; only what was counted and fits is returned."""
    fits, too_many = 0, min(len(text), max(limit, 1) * _MOST_CHARS_PER_TOKEN)
    best = _cut(text, 0, note)
    while too_many - fits > 1:
        kept = (fits + too_many) // 2
        candidate = _cut(text, kept, note)
        if counter(candidate) <= limit:
            fits, best = kept, candidate
        else:
            too_many = kept
    return best


def _cut(text: str, kept: int, note: _Note) -> str:
    head = _tidy_head(text, kept - kept // 3)
    tail = _tidy_tail(text, len(text) - kept // 3, head)
    return text[:head] + note(tail - head, head) + text[tail:]


def _tidy_head(text: str, end: int) -> int:
    first = max(0, end - _WHOLE_WORD)
    spared = end
    while first < spared < len(text) and _inside_word(text, spared):
        spared -= 1
    return graphemes.floor(text, spared if spared > first or first == 0 else end)


def _tidy_tail(text: str, start: int, head: int) -> int:
    last = min(len(text), start + _WHOLE_WORD)
    spared = start
    while head < spared < last and _inside_word(text, spared):
        spared += 1
    return graphemes.ceiling(text, spared if spared < last or last == len(text) else start, head)


def _inside_word(text: str, index: int) -> bool:
    """Between two characters of a word or number, including the point in 417.25 and the comma in 1,000."""
    return _is_word(text[index - 1]) and _is_word(text[index])


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char in "_-.,:@/")


_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # NUL, escapes and other controls; tab and line ends stay
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # Unicode property Bidi_Control
    "\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Valid UTF-8 that a terminal shows as it is; what was replaced stays visible.

    NUL, escapes and other control characters become their pictures (``␀``, ``␛``); bidirectional controls, C1 controls
    and lone surrogates become their number (``⟨U+202E⟩``); two surrogates that make a character become that character.
    Cleaning twice changes nothing more.
    """
    if not _UNFIT.search(text):
        return text
    return _UNFIT.sub(_visible, _SURROGATE_PAIR.sub(_joined_pair, text))


def _joined_pair(match: re.Match[str]) -> str:
    return match.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
