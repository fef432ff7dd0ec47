"""The consolidator: reads every card page by page, decides by rules, and applies each decision by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory_secretary.memory.clock import Clock, system_clock
from memory_secretary.memory.errors import InvalidRecord, NotFound, VersionConflict
from memory_secretary.memory.records import MemoryCard
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.views import ConsolidatorView, InspectorView
from memory_secretary.nodes.consolidation import Decision, decide

ViewOf = Callable[[Scope], ConsolidatorView]

PAGE = 500
"""Cards read at once."""
_ROUNDS = 8
"""A decision may make another one possible (a value that ends once its rival has settled); three rounds were enough."""


@dataclass(slots=True)
class Consolidated:
    """What a consolidation has come to.

    Attributes:
        seen: active cards that were looked at.
        promoted: cards that settled in the long tier.
        merged: groups that are one card from now on.
        ended: cards whose attribute has another value since, kept with less weight.
        lowered: long cards that something weightier contradicts.
        skipped: decisions about cards that were changed meanwhile; the next run decides anew.
        refused: decisions that a rule of the memory forbids, each with the card and the reason.
    """

    seen: int = 0
    promoted: int = 0
    merged: int = 0
    ended: int = 0
    lowered: int = 0
    skipped: int = 0
    refused: list[str] = field(default_factory=list)

    @property
    def changed(self) -> int:
        """How many decisions were applied."""
        return self.promoted + self.merged + self.ended + self.lowered


def consolidate(view_of: ViewOf, scope: Scope, *, clock: Clock = system_clock, page: int = PAGE) -> Consolidated:
    """Settle the cards of one owner until nothing more is to be done.

    Each decision is one transaction on the cards as they were read, so this may be stopped at any moment and run again,
    and several may run at once. What somebody changes meanwhile is left to the next run. No model is asked.

    Args:
        view_of: gives the consolidator's view of a scope.
        scope: whose cards; its thread plays no part.
        clock: gives the present moment.
        page: cards read at once.
    """
    done, applied, refused = Consolidated(), Counter[str](), dict[str, str]()
    for _ in range(_ROUNDS):
        cards = list(every_card(view_of(replace(scope, thread=None)), page))
        done.seen = len(cards)
        outcomes = [
            _applied(view_of, scope, one, refused) for one in decide(cards, _now(clock)) if _is_open(one, refused)
        ]
        applied.update(outcomes)
        if not any(outcome not in ("skipped", "refused") for outcome in outcomes):
            break
    for name in ("promoted", "merged", "ended", "lowered", "skipped"):
        setattr(done, name, applied[name])
    done.refused = list(refused.values())
    return done


def every_card(view: ConsolidatorView | InspectorView, size: int = PAGE) -> Iterator[MemoryCard]:
    """All active short and long cards that the view may see, read page by page."""
    after = ""
    while found := view.page(after, size):
        yield from found
        after = found[-1].memory_id


def _now(clock: Clock) -> datetime:
    return clock()


def _is_open(decision: Decision, refused: dict[str, str]) -> bool:
    return decision.group.newest.memory_id not in refused


def _applied(view_of: ViewOf, scope: Scope, decision: Decision, refused: dict[str, str]) -> str:
    """Apply one decision in the name of whose cards they are; what became of it."""
    newest = decision.group.newest
    view = view_of(replace(scope, user=newest.scope.user, agent=newest.scope.agent, thread=None))
    try:
        _apply(view, decision)
    except (VersionConflict, NotFound):
        return "skipped"
    except InvalidRecord as error:
        refused[newest.memory_id] = f"{newest.memory_id}: {error}"
        return "refused"
    return decision.kind


def _apply(view: ConsolidatorView, decision: Decision) -> None:
    into = decision.into
    if decision.draft is not None:
        view.settle(decision.draft, decision.sources)
    elif into is not None and decision.kind == "merged":
        changes = dict(decision.changes or {})
        view.absorb(into.memory_id, changes, expected_version=into.version, sources=decision.sources)
    elif into is not None and decision.changes:
        view.edit(into.memory_id, decision.changes, expected_version=into.version)
    elif into is not None:
        view.lower(into.memory_id, expected_version=into.version)
