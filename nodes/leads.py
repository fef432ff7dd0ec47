"""Where a record says that its matter went on: the names it gives to other records, and the words that lead there.

A sentence that denies (*it never went to*) or that speaks of something else leads nowhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from memory_secretary.nodes.candidates import ToolShape, find_groups, identifiers_in, pattern_of
from memory_secretary.nodes.naming import PERSON, SURNAMES
from memory_secretary.nodes.passages import passages

_DENIED = re.compile(
    r"\b(?:not|never|no longer|nor|neither|without|instead of|rather than|unlike|cancelled|withdrawn)\b|n't\b|"
    r"没|未|不|并非|取消|撤回",
    re.IGNORECASE,
)
_ONWARD = re.compile(
    r"\b(?:carried|carries|went|goes|gone|moved|moves|passed|handed|sent|transferred|forwarded|continue[sd]?|"
    r"follow(?:s|ed)?|next|now|replaced|superseded|renamed|renumbered|reopened|merged|succeed(?:s|ed)|successor|"
    r"recorded|filed|kept|see)\b(?: \w+){0,3} (?:as|to|on|under|in|into|by|with|at|from|is)\b|\bsee(?: also)?\b|"
    r"\b(?:next|successor|continued|superseded_by|replaced_by|moved_to)(?:_\w+)?\b ?[:：]|"
    r"\b(?:correspondence|proceedings|developments|rules|details) (?:are|is) (?:in|under)\b|"
    r"转[为到至给入交]|记[在入]|移交|交由|后续|接续|续[见在办于]|[参详另定]见|改[为由编]|并入|下一[份个]|继续|由$",
    re.IGNORECASE,
)
"""How records lead on, whatever they are about."""
_BACKWARD = re.compile(
    r"\b(?:came|comes|grew|replac(?:es|ing)|supersed(?:es|ing)|previous|preced(?:es|ing)|predecessor|from)\b|"
    r"[取替]代了?|前一?[份个身]|上一[份个]|原[为来系]|来自|承接|此前",
    re.IGNORECASE,
)
"""How records lead back."""
_PURSUES = re.compile(
    r"\b(?:follow|trace|track(?! down)|pursue)\b(?! (?:the|these|those|my|our|your|all|every|any)? ?(?:\w+ )?"
    r"(?:rules?|instructions?|style|advice)\b)|\bchain\b|\b(?:from|to) (?:one )?record to record\b|\band so on\b|"
    r"\bthe one it (?:replaced|superseded|came from)\b|\breplaced (?:several|many|\w+) times\b|"
    r"\b(?:where|which|what)\b.{0,60}\b(?:end(?:s|ed)? up|ended|lies? (?:today|now)|stands? (?:today|now)|"
    r"goes? back to|comes? from|came from|leads?)\b|\bgo(?:es)? (?:all the way|no further)\b|"
    r"追[查踪到溯]|一[路直](?:往下|追|查)|往[下前]查|一份接一份|顺着|接着(?:转|查)|查到|落在哪|换过[^，。]{1,3}[版次]|到了哪|最[终后](?:到|在)|转到",
    re.IGNORECASE | re.DOTALL,
)
"""How users ask for a matter to be followed."""
_BACK_GOAL = re.compile(
    r"\b(?:back(?:wards)?|origin(?:al)?|root|earliest|first version|predecessors?|came from)\b|"
    r"往前|追溯|最早|来源|源头|前身",
    re.IGNORECASE,
)
_CLOSE = 6
"""Characters between such words and a name in Chinese, at most."""
_NEAR = 16
"""The same, wherever the name is known to be one."""
_PHRASE = 3
_HAN = re.compile(r"[\u4e00-\u9fff]{2,4}")
_OF_PERSON_ZH = re.compile(
    rf"(?<![\u4e00-\u9fff])[请从自由与和问找有看查我手上]{{0,4}}([{SURNAMES}][\u4e00-\u9fff]{{1,2}}?)"
    r"(?=的|起|那里|开始|处)"
)
"""Somebody's name where a Chinese goal says what is theirs (徐建华的退费申请)."""


@dataclass(frozen=True, slots=True)
class Lead:
    """Another record that a sentence names; ``onward`` says whether its words lead there."""

    value: str
    sentence: str
    onward: bool


def pursues(goal: str) -> bool:
    """Whether a user's words ask to follow a matter from record to record."""
    return _PURSUES.search(goal) is not None


def start_of(goal: str) -> str:
    """The one record that a goal names by an id or somebody's name, from which it wants a matter followed; or empty."""
    named = [*identifiers_in(goal), *PERSON.findall(goal), *_OF_PERSON_ZH.findall(goal)]
    found = list(dict.fromkeys(named))
    return found[0] if len(found) == 1 and pursues(goal) else ""


def leads_in(record: str, tool: ToolShape, known: Collection[str], goal: str) -> list[Lead]:
    """The other records that a record names in sentences that do not deny it, in its own order, each once.

    Args:
        record: its text.
        tool: the one that reads such records.
        known: the keys that were read already; a key of another form is none.
        goal: the user's words, which may want the way back and not the way on.
    """
    way = _BACKWARD if _BACK_GOAL.search(goal) else _ONWARD
    found: dict[str, Lead] = {}
    for piece in passages(record):
        text = unicodedata.normalize("NFKC", piece.text)
        for value in _values(text, tool, known):
            if value in known or _DENIED.search(text):
                continue
            lead = Lead(value, piece.text, _leads(text, value, way))
            if value not in found or (lead.onward and not found[value].onward):
                found[value] = lead
    return list(found.values())


def _values(text: str, tool: ToolShape, known: Collection[str]) -> list[str]:
    forms = {pattern_of(key) for key in known}
    if any(re.search(r"[\d/.]", key) for key in known):
        grouped = (value for group in find_groups(text, [tool]) for value in group.values)
        return [value for value in dict.fromkeys([*identifiers_in(text), *grouped]) if pattern_of(value) in forms]
    return list(dict.fromkeys([*_english(text, known), *_chinese(text, known)]))


def _english(text: str, known: Collection[str]) -> Iterator[str]:
    """Names of as many words as the known ones have."""
    sizes = {len(key.split()) for key in known if key[:1].isascii()}
    yield from (m.group() for m in PERSON.finditer(text) if len(m.group().split()) in sizes)


def _chinese(text: str, known: Collection[str]) -> Iterator[str]:
    """Names as long as a known one, by their family name, close behind words that lead somewhere."""
    for size in {len(key) for key in known if _HAN.fullmatch(key)}:
        name = re.compile(rf"[^，。；、]{{0,{_CLOSE}}}?([{SURNAMES}][\u4e00-\u9fff]{{{size - 1}}})")
        found = (name.match(text, match.end()) for way in (_ONWARD, _BACKWARD) for match in way.finditer(text))
        yield from (match.group(1) for match in found if match)


def _leads(text: str, value: str, way: re.Pattern[str]) -> bool:
    """Whether words that lead somewhere stand close before a name, in the same clause."""
    clause = re.split(r"[,，;；。]|\. ", text[: text.find(value)])[-1]
    return any(len(clause) - match.end() <= _NEAR for match in way.finditer(clause))


def phrase_before(lead: Lead) -> str:
    """The last words before a lead's name: what says how one record is to the other."""
    before = lead.sentence[: lead.sentence.find(lead.value)]
    return " ".join(re.findall(r"[A-Za-z]+|[\u3400-\u9fff]", before)[-_PHRASE:])
