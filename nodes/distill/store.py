"""Drafts into the long tier, and what a document no longer supports out of use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory_secretary.memory.bilingual import spoken
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.errors import InvalidRecord, NotFound, VersionConflict
from memory_secretary.memory.records import Evidence, Kind, MemoryType, Status
from memory_secretary.memory.views import DistillerView
from memory_secretary.nodes.distill.register import OpenDocument, Register
from memory_secretary.nodes.distill.state import Draft

NO_LONGER = "its document no longer says so"
"""Why a card is superseded that no newer one replaces."""
_CONFLICTS = 3


@dataclass
class Stored:
    """What was written.

    Attributes:
        refs: the cards that hold what the passage says, new or not.
        new: how many of them are new.
        refused: why the ledger did not take a draft.
    """

    refs: list[str] = field(default_factory=list)
    new: int = 0
    refused: list[str] = field(default_factory=list)


def store(view: DistillerView, drafts: Sequence[Draft], at: datetime, version: str) -> Stored:
    """Write the drafts of one passage; written again after a crash, they are the same cards.

    Args:
        view: the distiller's.
        drafts: reviewed.
        at: when the document was written.
        version: the event of its version.
    """
    done = Stored()
    written: dict[int, str] = {}
    for place, draft in enumerate(drafts):
        siblings = [written[n] for n in draft.get("siblings", []) if n in written]
        fact = written.get(place - 1) if draft["kind"] == Kind.INFERENCE else None
        try:
            card = view.write(_card(draft, siblings, at, version, fact))
        except InvalidRecord as error:
            done.refused.append(error.sentence(spoken()))
            continue
        written[place] = card.memory_id
        done.new += all(proof.event_id == draft["event_id"] for proof in card.evidence)
        done.refs.append(card.memory_id)
    return done


def _card(draft: Draft, siblings: Sequence[str], at: datetime, version: str, fact: str | None) -> CardDraft:
    return CardDraft(
        content=draft["content"], type=MemoryType(draft["type"]), kind=Kind(draft["kind"]), about=fact,
        subject=draft["subject"], attribute=draft["attribute"], value=draft["value"], applies_to=draft["applies_to"],
        valid_from=_moment(draft["valid_from"]), valid_until=_moment(draft["valid_until"]), at=at,
        related_ids=list(dict.fromkeys([*siblings, *draft.get("related_ids", [])])),
        supersedes=draft.get("supersedes", []),
        evidence=[Evidence(event_id=draft["event_id"], quote=draft["quote"])],
        idempotency_key=f"distill:{version}:{draft['event_id']}:{draft['kind']}:{draft['content']}",
    )  # fmt: skip


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def close(document: OpenDocument, register: Register, view: DistillerView) -> int:
    """End a document that is whole: cards that only its former passages support go out of use; returns how many."""
    gone = sorted(document.former - document.own_cards)
    superseded = sum(_superseded(view, memory_id, document) for memory_id in gone)
    register.close(document)
    return superseded


def _superseded(view: DistillerView, memory_id: str, document: OpenDocument) -> bool:
    """Whether a card went out of use now: not one that rests on another document as well, or that is out already."""
    for _ in range(_CONFLICTS):
        try:
            card = view.card(memory_id)
            if card.status is not Status.ACTIVE or any(one.event_id not in document.lost for one in card.evidence):
                return False
            view.supersede(memory_id, reason=NO_LONGER, expected_version=card.version)
        except VersionConflict:  # changed meanwhile: look again
            continue
        except NotFound:  # erased meanwhile, or hidden from us
            return False
        return True
    return False
