"""When two statements say the same: by a form in which only wordings that mean nothing by themselves are left out.

Nothing is guessed. Every number, name, negation, tense, comparison and mark of a statement stays in its form, so two
statements that differ in one of them have different forms and are never taken for the same, in English or Chinese.
What is left out or made alike stands in the tables below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from memory_secretary.nodes.numbers import Number, normal_number, numbers_in

_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(
    rf"[{_HAN}]|\d+(?:[.,:/]\d+)*(?![^\W_{_HAN}])|[^\W{_HAN}](?:[^\s{_HAN}]*[^\W{_HAN}])?(?:[+#]+)?|[^\s]"
)
"""A Chinese character; a number; a word or identifier with what stands inside it; or a mark by itself."""
_LAST = ".!。 "
_CONTRACTIONS = (
    (re.compile(r"\bcan(?:'t|not)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\bi've\b"), "i have"),
    (re.compile(r"\bi'd\b"), "i would"),
    (re.compile(r"\bi'll\b"), "i will"),
)
_ARTICLES = frozenset({"a", "an", "the"})
_POLITE = frozenset({"please", "kindly"})
_WORDS: Mapping[str, str] = {
    "i": "user", "me": "user", "my": "user's", "mine": "user's", "has": "have", "does": "do",
    **dict.fromkeys(("prefer", "like"), "like"),
    **dict.fromkeys(("brief", "concise", "short"), "short"),
    **dict.fromkeys(("answer", "answers", "reply", "replies", "response", "responses"), "answer"),
}  # fmt: skip
_PHRASES_ZH: Mapping[str, str] = {
    "我们": "我们", "自我": "自我", "咱们": "咱们", "我": "用户", "偏好": "喜欢", "偏爱": "喜欢", "喜爱": "喜欢",
    "简洁": "简短", "简练": "简短", "回复": "回答", "答复": "回答", "请": "", "的": "",
}  # fmt: skip
"""Longer ones first where one begins with another; those that stay as they are keep a shorter one from them."""
_PHRASE_ZH = re.compile("|".join(sorted(_PHRASES_ZH, key=len, reverse=True)))
_LIGHT = frozenset(
    {"user", "user's", "with", "at", "by", "as", "use", "uses", "using", "have", "now", "currently", ","}
)
"""Words of a statement that say no more than that a subject's attribute has a value, once those three are known."""
_NEGATIONS = frozenset("not no never none nobody nothing neither nor without cannot stop stopped".split()) | frozenset(
    "不没無无非别勿未莫否休甭禁"
)


@lru_cache(maxsize=4096)
def form(text: str) -> tuple[str, ...]:
    """What a statement says, word for word in its order, without what means nothing by itself.

    Left out: capitals, width, articles, ``is`` and ``are``, 的 and 请, "please", the last full stop. Made alike: the
    user and "I", the forms of a number (``1,000``, 一千; but ``3.1`` and ``3.10`` stay apart), a few pure synonyms.
    """
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip().rstrip(_LAST)
    capitals = {match.start() for match in re.finditer(r"\b[A-Z]", plain) if match.start() > 0}
    shouted = {plain[start : start + 1].lower() for start in capitals if _stands_alone(plain, start)}
    words = _tokens(_with_numbers(plain).lower())
    kept: list[str] = []
    for n, word in enumerate(words):
        before = kept[-1] if kept else ""
        alone = word in shouted and word in _ARTICLES
        if (
            (word in _ARTICLES and not alone)
            or word in _POLITE
            or (word in ("is", "are") and kept and n + 1 < len(words))
        ):
            continue
        if word == "am" and before == "user":
            continue
        verb = word[:-1] if before == "user" and _is_third_person(word) else word
        kept.append(_WORDS.get(word, _WORDS.get(verb, verb)))
    return tuple(kept)


def about_value(text: str, subject: str, attribute: str) -> tuple[str, ...] | None:
    """What a statement says beside its subject and attribute, in no order; None where order or a negation decides.

    For statements whose subject, attribute and value are known to be the same: "I bank with Kestrel" and "My bank is
    Kestrel" both come to ``kestrel``. Chinese is written without blanks, so there only :func:`form` tells.
    """
    words = form(text)
    if re.search(f"[{_HAN}]", text) or negations(words):
        return None
    known = {*form(subject), *form(attribute)} | _LIGHT
    return tuple(sorted(word for word in words if word not in known))


def negations(words: tuple[str, ...]) -> int:
    """How many words of a form deny something."""
    return sum(word in _NEGATIONS for word in words)


def alike(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """The share of their words that two forms have in common, 0..1; 0 where their numbers or negations differ."""
    if _figures(one) != _figures(other) or negations(one) != negations(other):
        return 0.0
    mine, yours = set(one), set(other)
    return len(mine & yours) / max(1, len(mine | yours))


def _figures(words: tuple[str, ...]) -> list[str]:
    return sorted(word for word in words if any(character.isdigit() for character in word))


def _tokens(text: str) -> list[str]:
    for pattern, plain in _CONTRACTIONS:
        text = pattern.sub(plain, text)
    text = re.sub(r"\bthe user\b", "user", text)
    text = _PHRASE_ZH.sub(lambda match: _PHRASES_ZH[match.group()], text)
    return [part for token in _TOKEN.findall(text) for part in _without_edges(token)]


def _without_edges(token: str) -> list[str]:
    """A word and the marks behind it, each by itself."""
    match = re.fullmatch(r"(.*?)([,;:.!?\")\]]*)", token)
    word, marks = match.groups() if match and len(token) > 1 else (token, "")
    return [*([word] if word else []), *marks]


def _with_numbers(text: str) -> str:
    """The text with each whole number in one form; what has a decimal point or leading zeros stays as it is written."""
    parts, at = [], 0
    for number in numbers_in(text):
        if number.start < at:
            continue
        parts += [text[at : number.start], _number(number)]
        at = number.start + len(number.text)
    return "".join([*parts, text[at:]])


def _number(number: Number) -> str:
    written = number.text
    digits_only = re.fullmatch(r"[一二两三四五六七八九]{2,3}", written)  # 三四天 are three or four days
    if digits_only or "." in written or (written.startswith("0") and len(written) > 1):
        return written
    return normal_number(number.value)


def _is_third_person(word: str) -> bool:
    return len(word) > 3 and word.isalpha() and word.endswith("s") and not word.endswith("ss")


def _stands_alone(text: str, start: int) -> bool:
    """Whether a capital is a word by itself: the ``A`` of "vitamin A" is no article."""
    return not text[start + 1 : start + 2].isalnum()
