"""What the user asked to keep in earlier sessions, as far as it bears on a task: their own words and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.injection import memory_line
from memory_secretary.memory.records import REMEMBER, TO_BE_REMEMBERED, Recalled, Status
from memory_secretary.memory.task_state import TaskState, Told, whole_goal
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.sayings import bears_on_figures, shared_words, statements

_NEWEST = 30
"""Wishes, and cards, that are looked through."""
_BRANCH = 200
"""Newest events of this thread in which its own wishes are looked for."""
_MOST = 8
"""Notes that a task keeps."""


def told_before(view: SecretaryView, task: TaskState, head: str, zone: str) -> list[Told]:
    """The user's remembered words that bear on a task, oldest first; whole sentences.

    A sentence bears on it when it may change a calculation, or shares a telling word with the goal. What the thread
    itself holds counts only as far as it stands on the task's branch.

    Args:
        view: the secretary's, which reads wishes that are no cards yet, and cards.
        task: as it was taken up.
        head: the newest event of the branch.
        zone: the user's IANA zone, for the date in a brief.
    """
    goal = whole_goal(task)
    hits = sorted([*_wishes(view, head), *_cards(view)], key=lambda hit: hit.at)
    notes = (_told(hit, goal, zone) for hit in hits if hit.text not in goal)
    return [note for note in notes if note is not None][-_MOST:]


def still_told(view: SecretaryView, task: TaskState) -> TaskState:
    """The task without what the user has forgotten since it was taken up, and without what that changed in figures."""
    gone = view.forgotten([note["ref"] for note in task["told"]])
    if not gone:
        return task
    lost = {sentence for note in task["told"] if note["ref"] in gone for sentence in statements(note["text"])}
    return TaskState(
        **{
            **task,
            "told": [note for note in task["told"] if note["ref"] not in gone],
            "adjustments": [change for change in task["adjustments"] if change["said"] not in lost],
        }
    )


def _told(hit: Recalled, goal: str, zone: str) -> Told | None:
    sentences = statements(hit.text)
    shared = [sentence for sentence in sentences if shared_words(sentence, goal)]
    kept = [sentence for sentence in sentences if sentence in shared or bears_on_figures(sentence)]
    if not kept:
        return None
    return Told(text=" ".join(kept), ref=hit.ref, line=memory_line(hit, zone=zone) if shared else "")


def _wishes(view: SecretaryView, head: str) -> Iterator[Recalled]:
    """What this user asked to keep and nobody has made into a card yet."""
    mine = [wish for wish in view.pending() if wish.reason == REMEMBER and wish.scope.user == view.scope.user]
    here = {event.event_id for event in view.events(head=head, limit=_BRANCH)} if mine and head else set()
    for wish in mine[-_NEWEST:]:
        elsewhere = wish.scope.thread != view.scope.thread
        for ref in wish.event_ids:
            text = _said_by_user(view, ref)
            if text and (elsewhere or ref in here):
                yield _hit(ref, "event", text, TO_BE_REMEMBERED, wish.at)


def _cards(view: SecretaryView) -> Iterator[Recalled]:
    """Cards that the user wrote, and of others the quotes of the user's own words that they rest on."""
    for card in view.cards(limit=_NEWEST):
        if card.scope.user != view.scope.user:
            continue
        quotes = [proof.quote for proof in card.evidence if _said_by_user(view, proof.event_id)]
        text = card.content if card.source_agent == "user" else " ".join(quotes)
        if text:
            yield _hit(card.memory_id, "card", text, card.source_agent, card.at)


def _said_by_user(view: SecretaryView, ref: str) -> str:
    """An event's text when the user said it; empty when another did, or when it may not be seen."""
    try:
        event = view.event(ref)
    except NotFound:
        return ""
    return event.observation if event.actor == "user" else ""


def _hit(ref: str, source: str, text: str, label: str, at: datetime) -> Recalled:
    return Recalled(ref=ref, source=source, text=text, score=1.0, at=at, status=Status.ACTIVE, label=label)
