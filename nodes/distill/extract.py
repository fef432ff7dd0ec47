"""The first look at a passage: a teacher says which cards its statements give, code holds that against them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from memory_secretary.memory.records import Event, Kind, MemoryType
from memory_secretary.memory.tokens import clip
from memory_secretary.nodes.distill.passages import Statement, names, statements_of
from memory_secretary.nodes.distill.question import SYSTEM, prompt_of, reply_room, schema_of
from memory_secretary.nodes.distill.state import Draft
from memory_secretary.nodes.distill.validity import Validity, named_by_model, validity
from memory_secretary.nodes.extraction import Item, Refusal, read_reply
from memory_secretary.nodes.grounded_cards import Grounded, ground
from memory_secretary.nodes.grounding import folded
from memory_secretary.nodes.models.structured import Reply

Ask = Callable[[Sequence[BaseMessage], dict[str, Any], int], Reply]
"""Asks the teacher: messages, schema, tokens of the reply."""
_NOTE = 200
"""Characters of what was wrong, in the second question."""


@dataclass
class Extracted:
    """What came of one passage.

    Attributes:
        drafts: what may become cards.
        refused: parts of replies that may not.
        problem: why the passage has to be tried again; empty when it has not.
    """

    drafts: list[Draft] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """What an extractor is given.

    Attributes:
        event: the recorded passage.
        document: how long the document says that it holds.
        zone: in which its days begin and end.
        window: tokens that the teacher reads and writes in one call.
    """

    event: Event
    document: Validity
    zone: tzinfo
    window: int


Extractor = Callable[[Task, Ask], Extracted]
"""Makes drafts of one kind out of a passage; several may look at the same one."""


def facts(task: Task, ask: Ask) -> Extracted:
    """Facts and episodes; asked once more, with what was wrong, where a reply could not be used.

    Raises:
        ModelError: the teacher's server failed.
    """
    statements = statements_of(task.event)
    found = Extracted()
    if not statements:
        return found
    _ask(found, task, statements, ask, "")
    problem = found.problem or (found.refused[0].reason if found.refused and not found.drafts else "")
    if problem:
        held = {draft["quote"] for draft in found.drafts}
        left = [one for one in statements if one.quote not in held]
        found.problem, found.refused = "", []
        if left:
            _ask(found, task, left, ask, problem)
    if found.refused and not found.drafts and not found.problem:
        found.problem = found.refused[0].reason
    return found


def _ask(found: Extracted, task: Task, statements: Sequence[Statement], ask: Ask, problem: str) -> None:
    messages = [SystemMessage(SYSTEM), HumanMessage(prompt_of(statements, clip(problem, _NOTE, len)))]
    reply = ask(messages, schema_of(len(statements)), reply_room(len(statements), task.window))
    reading = read_reply(reply.text)
    found.problem = reading.problem or (reply.problem if reply.cut else "")
    found.refused += reading.refused
    for item in reading.items:
        grounded = ground(item, statements)
        if isinstance(grounded, Refusal):
            found.refused.append(grounded)
        else:
            found.drafts += [_draft(card, item, task) for card in grounded]


def _draft(card: Grounded, item: Item, task: Task) -> Draft:
    """A grounded card as a draft; whatever a document demands, it is a fact that it does so."""
    statement = card.line
    assert isinstance(statement, Statement)
    episode = item.type == MemoryType.EPISODE
    card = replace(card, type=MemoryType.EPISODE if episode else MemoryType.FACT)
    said = validity(statement.bare).over(named_by_model(item.valid_from, item.valid_until, statement.bare))
    first, last = (Validity() if episode else said.over(task.document)).moments(task.zone)
    content = card.content if card.kind is Kind.INFERENCE else _content(card, statement)
    return Draft(
        content=content, type=card.type.value, kind=card.kind.value, subject=card.subject,
        attribute=card.attribute, value=card.value, applies_to=list(card.applies_to), valid_from=_iso(first),
        valid_until=_iso(last), event_id=task.event.event_id, quote=statement.quote,
    )  # fmt: skip


def _content(card: Grounded, statement: Statement) -> str:
    """The teacher's wording where it says more than a part of the statement does; else the document's own words.

    A small model often copies a piece out of its sentence or row ("86", "may open it"), which says nothing alone.
    """
    said = folded(card.content).strip(_STOPS)
    copied = said in folded(statement.text)
    unnamed = not names(card.subject, card.content)
    partial = any(cell and folded(cell) not in said for cell in statement.cells)
    return statement.whole(card.subject) if copied or unnamed or partial else card.content


_STOPS = " .。!！;；"


def _iso(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()
