"""Step repeated: a call is made again and brings the very same."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_secretary.graph.evaluation.diagnosis.messages import Call
from memory_secretary.graph.evaluation.diagnosis.shared import Error, Trace, calls, cut, result_of, turns
from memory_secretary.nodes.calls import call_key, call_text
from memory_secretary.nodes.grounding import folded
from memory_secretary.nodes.reminders import UNFINISHED
from memory_secretary.tools.effects import Effect, effect_named

_STATUS = 200
"""Characters of a result that says how far something is; a longer one is a text in which such words may stand."""
_ONCE = re.compile(
    r"pay|send|mail|message|order|book|transfer|cancel|submit|post|delete|refund|付|发|订|转|取消|提交|删|退"
)
"""What is done once, whatever is done in between."""


def step_repeated(trace: Trace) -> Iterator[Error]:
    """A call is made again within one request, and brings the very same though nothing was changed in between."""
    for _, turn in turns(trace):
        seen: dict[str, tuple[int, Call]] = {}
        for at, call in calls(trace, turn):
            key, result = call_key(call.name, call.arguments), result_of(trace, at, call)
            if effect_named(call.name) is not Effect.READ_ONLY:
                seen = {other: one for other, one in seen.items() if other == key or _ONCE.search(one[1].name)}
            if result is None:
                continue
            earlier = seen.get(key)
            if earlier and _same(trace[earlier[0]].text, trace[result].text):
                yield Error(at, cut(call_text(call.name, call.arguments)), earlier[0], cut(trace[result].text))
            seen[key] = (result, call)


def _same(before: str, now: str) -> bool:
    """Whether two results are the same, and do not say that something was still going on."""
    waits = len(now) <= _STATUS and UNFINISHED.search(now)
    return folded(before) == folded(now) and not waits
