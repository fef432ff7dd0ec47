"""What a run of the distill graph keeps between its nodes: plain data only."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from memory_secretary.nodes.distill.document import Failure


class DistillInput(TypedDict, total=False):
    """What is to be distilled.

    Attributes:
        paths: files, folders and patterns.
        again: also what is distilled already, e.g. with a stronger teacher.
        calls: calls of the teacher at most; left out, as many as it takes.
    """

    paths: list[str]
    again: bool
    calls: int


class Draft(TypedDict):
    """A card on its way: as the ledger takes it, moments as ISO text or empty."""

    content: str
    type: str
    kind: str
    subject: str
    attribute: str
    value: str
    applies_to: list[str]
    valid_from: str
    valid_until: str
    event_id: str
    quote: str
    related_ids: NotRequired[list[str]]
    siblings: NotRequired[list[int]]
    supersedes: NotRequired[list[str]]


class PassageAtWork(TypedDict):
    """The passage that the nodes are at.

    Attributes:
        path: of its document.
        ref: its event.
        number: from 0, of ``of``.
        at: when the document was written, as ISO text.
        problem: why the teacher's reply could not be used; empty when it could.
    """

    path: str
    ref: str
    number: int
    of: int
    at: str
    problem: str


class Figures(TypedDict):
    """What a run has come to.

    Attributes:
        documents: that were looked at.
        unchanged: that were distilled before as they are.
        distilled: that are whole now.
        passages: that were read by the teacher.
        cards: that were written.
        known: that were there already and now rest on one more place.
        superseded: that their document no longer supports.
        refused: parts of replies that became no cards.
        calls: of the teacher.
        tokens: of prompts and replies, as far as its server told.
        seconds: that the teacher took.
    """

    documents: int
    unchanged: int
    distilled: int
    passages: int
    cards: int
    known: int
    superseded: int
    refused: int
    calls: int
    tokens: int
    seconds: float


class DistillState(DistillInput, total=False):
    """A run.

    Attributes:
        asked: the paths that this run is about; with others in ``paths``, a new one begins.
        queue: files that are still to be done.
        tried: passages that failed in this run and are left for the next one.
        at_work: the passage between the nodes, or None.
        drafts: what may become cards of it.
        figures: what was done.
        reasons: why parts of replies were refused, each once.
        failures: files and passages that gave nothing, with the reason.
        removed: documents that were distilled once and are gone from the given folders.
        status: ``running``, ``done`` (maybe with failures), or ``stopped``.
        stop_reason: why it ended before all was done.
    """

    asked: list[str]
    queue: list[str]
    tried: list[str]
    at_work: PassageAtWork | None
    drafts: list[Draft]
    figures: Figures
    reasons: list[str]
    failures: list[Failure]
    removed: list[str]
    status: str
    stop_reason: str


def no_figures() -> Figures:
    """Nothing done yet."""
    return Figures(
        documents=0, unchanged=0, distilled=0, passages=0, cards=0, known=0, superseded=0, refused=0, calls=0, tokens=0,
        seconds=0.0,
    )  # fmt: skip
