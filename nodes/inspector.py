"""The inspector: surveys an owner's memory, and applies the changes that a person has approved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import TypedDict

from memory_secretary.memory.benefits import summed
from memory_secretary.memory.clock import Clock, system_clock
from memory_secretary.memory.errors import NotFound, VersionConflict
from memory_secretary.memory.records import Status
from memory_secretary.memory.views import InspectorView
from memory_secretary.nodes.consolidate import PAGE, every_card
from memory_secretary.nodes.inspection import Finding, Known, inspected, is_change

MOST_FINDINGS = 500
"""Findings of one survey; the next one shows what is left: a report must be readable, a checkpoint small."""


class Survey(TypedDict):
    """What an inspection saw, as plain data.

    ``left`` counts the findings beyond :data:`MOST_FINDINGS`.
    """

    at: str
    seen: int
    findings: list[Finding]
    left: int


@dataclass(slots=True)
class Applied:
    """Ids of cards that were changed, and of those that were left since somebody changed them meanwhile."""

    changed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def survey(view: InspectorView, *, clock: Clock = system_clock, page: int = PAGE) -> Survey:
    """Look at every active card; nothing is changed and no model is asked.

    Args:
        view: the inspector's, of whose memory it is.
        clock: gives the present moment.
        page: cards read at once.
    """
    cards, now = list(every_card(view, page)), clock()
    turns = sorted({item.event_id for card in cards for item in card.evidence})
    gone = {ref for n in range(0, len(turns), page) for ref in view.forgotten(turns[n : n + page])}
    uses = summed(cards, view.uses())
    known = Known(now=now, uses=uses, gone=gone, newest=lambda memory_id: view.history(memory_id)[-1])
    found = inspected(cards, known)
    return Survey(
        at=now.isoformat(), seen=len(cards), findings=found[:MOST_FINDINGS], left=max(0, len(found) - MOST_FINDINGS)
    )


def changes(findings: Sequence[Finding], only: Collection[str] | None = None) -> list[Finding]:
    """The findings that would change a card; with ``only``, of these cards."""
    return [one for one in findings if is_change(one) and (only is None or one["memory_id"] in only)]


def apply_changes(view: InspectorView, findings: Sequence[Finding]) -> Applied:
    """Change status or weight as the findings say, card by card, where it still is as it was found.

    What was changed already is skipped, so this may be run again after it was broken off.
    """
    done = Applied()
    for finding in changes(findings):
        new: dict[str, Any] = {"status": Status(finding["status"])} if finding["status"] else {}
        if finding["weight"] is not None:
            new["weight"] = finding["weight"]
        reason, version = f"inspected {finding['kind']}", finding["version"]
        try:
            view.set_status(finding["memory_id"], **new, reason=reason, expected_version=version)
        except (VersionConflict, NotFound):
            done.skipped.append(finding["memory_id"])
        else:
            done.changed.append(finding["memory_id"])
    return done
