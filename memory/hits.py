"""What a recall shows: the best candidates with their texts, each passage read from the ledger as it stands there."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Integer, Row, and_, bindparam, exists, func, select

from memory_secretary.memory.codec import arguments_from_json
from memory_secretary.memory.filters import listed
from memory_secretary.memory.passages import PASSAGE_CHARS
from memory_secretary.memory.ranking import Scored
from memory_secretary.memory.records import Recalled
from memory_secretary.memory.schema import cards, events
from memory_secretary.memory.scoring import Traits

_LABEL_CHARS = 80
"""What a label shows of a call's arguments."""


def hits_of(connection: Connection, owner: str, best: Sequence[Scored]) -> list[Recalled]:
    """The candidates as a caller gets them, in their order."""
    contents = _card_texts(connection, owner, [one.traits.ref for one in best if one.traits.source == "card"])
    hits = []
    for one in best:
        ref = one.traits.ref
        if one.traits.source == "card":
            content, label = contents[ref]
            hits.append(recalled(one.traits, content, label, one.score, one.parts))
        else:
            place = {"of": owner, "ref": ref, "first": one.start + 1, "length": one.length or PASSAGE_CHARS}
            row = connection.execute(_PASSAGE, place).one()
            text = next((text for text in row[:3] if text), "")
            hits.append(
                recalled(one.traits, text, _label(row), one.score, one.parts, start=one.start, echo=bool(row.echo))
            )
    return hits


def recalled(
    traits: Traits,
    text: str,
    label: str,
    value: float,
    parts: dict[str, float],
    *,
    start: int = 0,
    echo: bool = False,
) -> Recalled:
    """A candidate as a caller gets it."""
    return Recalled(
        ref=traits.ref,
        source=traits.source,
        text=text,
        score=value,
        at=traits.at,
        status=traits.status.value,
        parts=parts,
        type=None if traits.type is None else traits.type.value,
        start=start,
        label=label,
        thread=traits.thread,
        echo=echo,
    )


def _card_texts(connection: Connection, owner: str, refs: Collection[str]) -> dict[str, tuple[str, str]]:
    """The contents and sources of cards."""
    if not refs:
        return {}
    rows = connection.execute(_CARD_TEXTS, {"of": owner, "refs": json.dumps(list(refs))}).all()
    return {ref: (content, source) for ref, content, source in rows}


def _label(row: Row[Any]) -> str:
    arguments = ""
    if row.arguments is not None:
        arguments = ", ".join(f"{name}={value}" for name, value in arguments_from_json(row.arguments).items())[
            :_LABEL_CHARS
        ]
    return f"{row.actor} {row.action}" + (f"({arguments})" if arguments else "")


_CARD_TEXTS = select(cards.c.memory_id, cards.c.content, cards.c.source_agent).where(
    cards.c.owner == bindparam("of"), cards.c.memory_id.in_(listed("refs"))
)
_before = events.alias("before")
_ECHO = and_(
    events.c.actor.not_in(("user", "tool")),
    exists().where(
        _before.c.owner == events.c.owner,
        _before.c.thread == events.c.thread,
        _before.c.seq < events.c.seq,
        _before.c.actor == "tool",
    ),
)
"""Neither a user nor a tool said it, after a tool's text had come into its thread."""

_PASSAGE = select(
    func.substr(events.c.observation, bindparam("first", type_=Integer), bindparam("length", type_=Integer)),
    func.substr(events.c.thought, 1, PASSAGE_CHARS),
    func.substr(events.c.arguments, 1, PASSAGE_CHARS),
    events.c.actor,
    events.c.action,
    events.c.arguments,
    _ECHO.label("echo"),
).where(events.c.owner == bindparam("of"), events.c.event_id == bindparam("ref"))
"""The passage of an event, or what was thought or called when nothing was said, and what its label is made of."""
