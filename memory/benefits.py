"""What cards are good for: in how many runs each was recalled and cited, and how those runs ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, or_, select
from sqlalchemy.dialects.sqlite import insert

from memory_secretary.memory import checks
from memory_secretary.memory.access import Caller, sees_card
from memory_secretary.memory.clock import Clock
from memory_secretary.memory.codec import from_micros, to_micros
from memory_secretary.memory.database import Database
from memory_secretary.memory.gate import Gate
from memory_secretary.memory.records import MemoryCard
from memory_secretary.memory.roles import Right, Role, Tier
from memory_secretary.memory.schema import card_uses, cards

ALL_RUNS = ""
"""In the place of a card's id: all runs that were counted, whatever they recalled."""

_COUNTERS = frozenset({Role.SECRETARY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What came of a card.

    Attributes:
        memory_id: the card; empty for all runs together.
        recalled: runs in whose brief it stood.
        cited: runs whose answer spoke of it.
        succeeded: runs of those it stood in that were done.
        failed: runs of those that were stopped before.
        since: the first of them, UTC.
        last: the newest of them, UTC.
    """

    memory_id: str
    recalled: int
    cited: int
    succeeded: int
    failed: int
    since: datetime
    last: datetime


class Benefits:
    """Counts, once at the end of each run and in one statement; nothing is counted while something is recalled."""

    def __init__(self, database: Database, gate: Gate, *, clock: Clock) -> None:
        self._database = database
        self._gate = gate
        self._clock = clock

    def note(
        self, caller: Caller, shown: Collection[str], cited: Collection[str], *, succeeded: bool, run: str
    ) -> None:
        """Count one run.

        Args:
            caller: the secretary.
            shown: ids of what stood in its briefs; other than the owner's cards are passed over.
            cited: those of them that its answer spoke of.
            succeeded: whether it was done.
            run: names the run, so that it counts once, also when its last node is run again.

        Raises:
            AccessDenied: another role asks.
        """
        self._gate.demand_member(caller, _COUNTERS, "count uses", Tier.WORKING)
        ids, now = checks.texts(shown, "shown"), to_micros(self._clock())
        mine = select(cards.c.memory_id).where(cards.c.owner == caller.owner, cards.c.memory_id.in_(ids))
        with self._database.write() as connection:
            known = connection.execute(mine).scalars().all()
            rows = [
                {
                    "owner": caller.owner, "memory_id": memory_id, "recalled": 1, "cited": int(memory_id in cited),
                    "succeeded": int(succeeded), "failed": int(not succeeded), "first_at": now, "last_at": now,
                    "last_run": run,
                }
                for memory_id in (ALL_RUNS, *known)
            ]  # fmt: skip
            connection.execute(_adding(), rows)

    def of(self, caller: Caller) -> dict[str, Use]:
        """The counters of the cards that the caller may see, by id; those of all runs under :data:`ALL_RUNS`.

        Raises:
            AccessDenied: the role may not read cards.
        """
        self._gate.demand(caller, Right.READ, Tier.SHORT)
        of_card = and_(cards.c.owner == card_uses.c.owner, cards.c.memory_id == card_uses.c.memory_id)
        seen = or_(card_uses.c.memory_id == ALL_RUNS, sees_card(caller))
        query = select(card_uses).outerjoin(cards, of_card).where(card_uses.c.owner == caller.owner, seen)
        with self._database.read() as connection:
            return {row.memory_id: _use(row) for row in connection.execute(query)}


def summed(known: Iterable[MemoryCard], uses: Mapping[str, Use]) -> dict[str, Use]:
    """The counters with those of a long card and of the cards that it was made of taken together."""
    found = dict(uses)
    for card in known:
        made_of = card.supersedes if card.tier is Tier.LONG else ()
        parts = [uses[ref] for ref in (card.memory_id, *made_of) if ref in uses]
        if parts:
            found[card.memory_id] = Use(
                memory_id=card.memory_id,
                recalled=sum(use.recalled for use in parts),
                cited=sum(use.cited for use in parts),
                succeeded=sum(use.succeeded for use in parts),
                failed=sum(use.failed for use in parts),
                since=min(use.since for use in parts),
                last=max(use.last for use in parts),
            )
    return found


def _adding() -> Any:
    """Adds a run to each row, unless it is the one that the row counted last."""
    new = insert(card_uses)
    sums = {name: card_uses.c[name] + new.excluded[name] for name in ("recalled", "cited", "succeeded", "failed")}
    latest = {"last_at": new.excluded.last_at, "last_run": new.excluded.last_run}
    return new.on_conflict_do_update(
        index_elements=["owner", "memory_id"],
        set_=sums | latest,
        where=card_uses.c.last_run != new.excluded.last_run,
    )


def _use(row: Any) -> Use:
    return Use(
        memory_id=row.memory_id,
        recalled=row.recalled,
        cited=row.cited,
        succeeded=row.succeeded,
        failed=row.failed,
        since=from_micros(row.first_at),
        last=from_micros(row.last_at),
    )
