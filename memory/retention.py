"""How long whole outputs of tools are kept: an old and large one can give way to its beginning and end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, exists, func, select

from memory_secretary.memory import checks
from memory_secretary.memory.bilingual import said
from memory_secretary.memory.codec import to_micros
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.events import events_of
from memory_secretary.memory.graphemes import ceiling, floor
from memory_secretary.memory.indexing import prepare, touch
from memory_secretary.memory.ledger import Ledger
from memory_secretary.memory.passages import event_passages
from memory_secretary.memory.roles import Tier
from memory_secretary.memory.schema import cards, events, task_states

KEPT_CHARS = 2000
"""What stays of an output that gives way, half of it from the beginning and half from the end."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What a policy did.

    Attributes:
        events: outputs that gave way to their beginning and end.
        characters: what was dropped, in characters; the disk gets it back with ``vacuum``.
    """

    events: int
    characters: int


def trim_outputs(ledger: Ledger, *, older_than: timedelta, larger_than: int, now: datetime) -> Trimmed:
    """Shorten outputs of tools, of all owners, that are both old and large.

    What a card gives as its evidence stays whole, and so does everything in a thread with an open task.

    Args:
        ledger: where they lie.
        older_than: an output that came earlier than so long ago is old.
        larger_than: an output of more characters than this is large; at least :data:`KEPT_CHARS`.
        now: the present moment (aware).

    Raises:
        InvalidRecord: a limit is out of range; the sentence says what it may be.
    """
    checks.whole(larger_than, "larger_than")
    if not isinstance(older_than, timedelta):
        raise checks.refused("older_than", "a timedelta", " timedelta", older_than)
    if larger_than < KEPT_CHARS or older_than < timedelta(0):
        msg = f"larger_than is at least {KEPT_CHARS} characters and older_than not negative"
        raise InvalidRecord(msg, zh=f"larger_than 至少为 {KEPT_CHARS} 个字符，older_than 不能为负")
    before = to_micros(now) - older_than // timedelta(microseconds=1)
    if before < -checks.MOST:  # older than SQLite can count
        return Trimmed(0, 0)
    with ledger.database.read() as connection:
        found = _old_and_large(connection, before, larger_than)
    dropped = [_shorten(ledger, owner, event_id) for owner, event_id in found]
    return Trimmed(len(dropped), sum(dropped))


def _old_and_large(connection: Connection, before: int, larger_than: int) -> list[tuple[str, str]]:
    evidence = exists().where(cards.c.owner == events.c.owner, func.instr(cards.c.evidence, events.c.event_id) > 0)
    at_work = exists().where(
        task_states.c.owner == events.c.owner, task_states.c.thread == events.c.thread, task_states.c.finished == 0
    )
    large = and_(events.c.actor == "tool", func.length(events.c.observation) > larger_than)
    query = select(events.c.owner, events.c.event_id).where(events.c.at < before, large, ~evidence, ~at_work)
    return [(row.owner, row.event_id) for row in connection.execute(query)]


def _shorten(ledger: Ledger, owner: str, event_id: str) -> int:
    """Shorten one output and index it anew; returns the characters that were dropped."""
    with ledger.database.write() as connection:
        (event,) = events_of(connection, owner, [event_id])
        short, dropped = _ends(event.observation)
        same = and_(events.c.owner == owner, events.c.event_id == event_id)
        connection.execute(events.update().where(same).values(observation=short))
        (event,) = events_of(connection, owner, [event_id])
        ledger.indexing.changed(connection, owner, Tier.WORKING, event_id, prepare(event_passages(event)))
        touch(connection, owner, events=1)
    return dropped


def _ends(text: str) -> tuple[str, int]:
    head = floor(text, KEPT_CHARS // 2, 0)
    tail = ceiling(text, len(text) - KEPT_CHARS // 2, head)
    dropped = tail - head
    note = said(
        f"\n[… {dropped:,} characters were dropped by the memory's policy for old outputs …]\n",
        f"\n[……按旧输出的保留策略，此处略去了 {dropped:,} 个字符……]\n",
    )
    return text[:head] + note + text[tail:], dropped
