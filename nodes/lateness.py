"""Lateness in its many words: what is *overdue*, what *should have been done by March*, and what is still in time."""

from __future__ import annotations

import re

_LATE = (
    r"\b(?:late|overdue|delayed|belated|past due|behind (?:schedule|time)|(?:in|into) arrears)\b"
    r"|晚了|迟(?!早)|拖延|拖欠|逾期|过期|超期|误期|延误|耽误|脱期"
)
_IS_LATE = re.compile(
    rf"{_LATE}|\b(?:day|date|deadline|term|time)(?: for it)? (?:has|have|had|is|are)? ?(?:already )?"
    r"(?:passed|gone by|expired|over)\b|\bshould (?:have been|already be)\b|\b(?:was|were|had been) due\b"
    r"|\bstill (?:waiting|being waited)\b|\b(?:missed|past) (?:the|its|their) (?:deadline|date|day|due date)\b"
    r"|日子(?:已经?)?(?:早就?)?过|期限(?:已经?)?过|(?:已|早)过(?:了)?(?:期|日子|时间)|本[应该]|早[应该]|还在等",
    re.IGNORECASE,
)
_IN_TIME = re.compile(
    r"\b(?:in|on|within|ahead of) (?:good )?(?:time|schedule)\b|\bnot (?:yet )?(?:due|late|overdue|expected)\b"
    r"|(?<!been )\b(?:finished|done|completed|settled|delivered|closed) (?:on|in|at|by)\b"
    r"|[未没不](?:有)?(?:到期|逾期|过期|迟|拖)|还没到|按[时期]|准时|如期|已(?:经)?(?:办完|完成|办好|做完|送到|结清)",
    re.IGNORECASE,
)


def asks_for_late(goal: str) -> bool:
    """Whether a goal is about what is late."""
    return _IS_LATE.search(_IN_TIME.sub(" ", goal)) is not None


def is_late(statement: str) -> bool | None:
    """Whether a record says of itself that it is late; None where it says neither, or both."""
    rest = _IN_TIME.sub(" ", statement)
    late, in_time = _IS_LATE.search(rest) is not None, rest != statement
    return None if late is in_time else late
