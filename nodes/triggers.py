"""When a user's turns are put on the precipitation queue: what they say decides, or that enough have come together."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_secretary.memory.records import Event, MemoryType
from memory_secretary.nodes.own_words import is_source, lines_of
from memory_secretary.nodes.smalltalk import is_small_talk
from memory_secretary.nodes.wishes import kind_of

PREFERENCE, CORRECTION, FEELING, TURNS = "preference", "correction", "feeling", "turns"
"""The queue's reasons; an explicit wish to remember is queued with the turn itself, a session when it is closed."""

_CORRECTION = re.compile(
    r"^(?:no|nope|wait|sorry)\b[,.!]|\bthat['’]?s (?:not (?:right|true|what)|wrong|incorrect)\b|\bi (?:meant|"
    r"was wrong)\b|"
    r"\b(?:actually|correction)\b|\bnot .{1,40}?,? but\b|\binstead of\b|"
    r"不对|不是.{1,20}?[，,]?而?是|我(?:是说|的意思是|说的是)|[说弄搞记]错|更正|纠正|其实|改成|应该是",
    re.IGNORECASE,
)
_FEELING = re.compile(
    r"\b(?:i|we)(?:['’](?:m|re)| am| are| was| were)? (?:(?:really|so|very|absolutely|totally|just) )*"
    r"(?:hate|love|adore|can(?:no|['’]?)t stand|detest|despise|furious|angry|upset|frustrated|annoyed|"
    r"disappointed|thrilled|"
    r"delighted|devastated|scared|terrified|worried|excited|heartbroken|sick of|fed up|proud)\b|"
    r"(?:太|非常|特别|真|超级?|十分|最|好)(?:的|是)?(?:讨厌|喜欢|失望|生气|难过|开心|烦|害怕|担心|爱|恨|激动|"
    r"骄傲|伤心)|"
    r"[气烦恨急吓累]死|受不了|崩溃|忍无可忍",
    re.IGNORECASE,
)


def trigger_of(turn: Event) -> str:
    """What makes a turn worth keeping at once: a preference, a correction or a strong feeling; empty for none of them.

    Only what the user states counts: no question, no order for now, nothing of another's.
    """
    lines = lines_of(turn)
    if any(kind_of(line.text) is MemoryType.PREFERENCE for line in lines):
        return PREFERENCE
    if any(_CORRECTION.search(line.text) for line in lines):
        return CORRECTION
    return FEELING if any(_FEELING.search(line.text) for line in lines) else ""


def due(turns: Sequence[Event], after: int) -> list[tuple[list[str], str]]:
    """The turns that are to be queued now, each group with its reason.

    Args:
        turns: the user's that stand on the queue for no reason yet, oldest first.
        after: so many turns without a trigger of their own are queued together.
    """
    worth = [turn for turn in turns if is_source(turn) and not is_small_talk(turn.observation)]
    reasons = {turn.event_id: trigger_of(turn) for turn in worth}
    rest = [ref for ref, reason in reasons.items() if not reason]
    groups = [([ref], reason) for ref, reason in reasons.items() if reason]
    return [*groups, (rest, TURNS)] if len(rest) >= after else groups
