"""How documents stand in the record: their passages are events that searches find; the notes about them are not."""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import ColumnElement, exists

from memory_secretary.memory.schema import events


class DocumentAction(StrEnum):
    """The actions of the events in a document's thread; no tool's name holds a colon."""

    PASSAGE = "document"
    """A piece of its text, which cards quote."""
    KNOWN = "document:known"
    """That it was ever read, in a thread that lists all documents."""
    VERSION = "document:version"
    """How it stood when it was read: its digest and passages."""
    DISTILLED = "document:distilled"
    """Which cards came of a passage, its parent."""
    FAILED = "document:failed"
    """Why nothing could be made of a passage, its parent."""
    WITHDRAWN = "document:withdrawn"
    """That the document no longer holds a passage, its parent: it stays in the record, and no search finds it."""
    CLOSED = "document:closed"
    """That all of a version, its parent, is distilled."""
    PACE = "document:pace"
    """How long a teacher took for how many passages, in the thread that lists all documents."""


NOTES = frozenset(DocumentAction) - {DocumentAction.PASSAGE}
"""What only keeps the books; no search looks at it."""


def is_withdrawn(owner: ColumnElement[str], ref: ColumnElement[str]) -> ColumnElement[bool]:
    """Condition on any table: this event is a passage that its document no longer holds."""
    note = events.alias("withdrawal")
    return exists().where(note.c.owner == owner, note.c.parent == ref, note.c.action == DocumentAction.WITHDRAWN.value)
