"""Which documents were read, which of their passages are distilled, and what came of them: read from the record alone.

Each document has a thread. A version names its passages by their digests; one that stood in the version before is kept
with all that came of it. So a run that is broken off goes on where it stopped, and what is unchanged costs nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_secretary.memory.documents import DocumentAction
from memory_secretary.memory.records import Event
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.distill.passages import Passage
from memory_secretary.nodes.distill.reading import Source

_ACTOR = "tool"
_ALL = "document:all"
"""The thread that names every document."""


@dataclass(frozen=True, slots=True)
class Version:
    """A document as it was read once.

    Attributes:
        ref: its event.
        digest: of the file.
        passages: their digests, in order.
        kept: the events of those that an earlier version had, by digest.
    """

    ref: str
    digest: str
    passages: tuple[str, ...]
    kept: dict[str, str]


@dataclass
class Log:
    """What the thread of a document says.

    Attributes:
        versions: oldest first.
        events: of passages, by version and number.
        cards: that came of the passages that are distilled, by their events.
        withdrawn: passages that the document no longer holds.
        closed: versions that are wholly distilled.
    """

    versions: list[Version] = field(default_factory=list)
    events: dict[tuple[str, int], str] = field(default_factory=dict)
    cards: dict[str, list[str]] = field(default_factory=dict)
    withdrawn: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)

    def is_done(self, digest: str) -> bool:
        """Whether this is the newest version and all of it is distilled."""
        return bool(self.versions) and self.versions[-1].digest == digest and self.versions[-1].ref in self.closed

    def holds(self, digest: str, passages: Sequence[str]) -> bool:
        """Whether this is the newest version, in these passages."""
        newest = self.versions[-1] if self.versions else None
        return newest is not None and (newest.digest, newest.passages) == (digest, tuple(passages))

    def left(self, digest: str, passages: Sequence[str], *, again: bool) -> list[int]:
        """The numbers of the passages that a teacher has to read yet."""
        known = {} if again and (self.is_done(digest) or not self.holds(digest, passages)) else self.distilled()
        return [number for number, passage in enumerate(passages) if passage not in known]

    def distilled(self) -> dict[str, str]:
        """The events of the newest version's passages that are distilled, by digest."""
        if not self.versions:
            return {}
        newest = self.versions[-1]
        places = {digest: self.events.get((newest.ref, n)) for n, digest in enumerate(newest.passages)}
        found = {digest: newest.kept.get(digest) or ref for digest, ref in places.items()}
        return {digest: ref for digest, ref in found.items() if ref is not None and ref in self.cards}


def log_of(events: Sequence[Event]) -> Log:
    """A thread's events read from the oldest on."""
    log = Log()
    for event in events:
        said, parent = event.arguments or {}, event.parent or ""
        match event.action:
            case DocumentAction.VERSION:
                log.versions.append(Version(event.event_id, said["digest"], tuple(said["passages"]), said["kept"]))
            case DocumentAction.PASSAGE:
                log.events[parent, event.step] = event.event_id
            case DocumentAction.DISTILLED:
                log.cards[parent] = list(said["cards"])
            case DocumentAction.WITHDRAWN:
                log.withdrawn.add(parent)
            case DocumentAction.CLOSED:
                log.closed.add(parent)
    return log


@dataclass
class OpenDocument:
    """The newest version of a document, with an event for each of its passages.

    Attributes:
        path: where it lies.
        at: when it was written.
        version: its event.
        digest: of the file.
        refs: the events of its passages, in order.
        cards: what came of those that are distilled.
        former: cards of passages that it no longer holds.
        lost: those passages.
        stale: those of them that are not withdrawn yet.
    """

    path: str
    at: datetime
    version: str
    digest: str
    refs: list[str]
    cards: dict[str, list[str]]
    former: set[str]
    lost: set[str]
    stale: set[str]

    def next(self, tried: Sequence[str]) -> int | None:
        """The number of the first passage that is to be distilled, or None."""
        return next((n for n, ref in enumerate(self.refs) if ref not in self.cards and ref not in tried), None)

    @property
    def is_whole(self) -> bool:
        """Whether every passage is distilled."""
        return all(ref in self.cards for ref in self.refs)

    @property
    def own_cards(self) -> set[str]:
        """The cards that came of its present passages."""
        return {card for ref in self.refs for card in self.cards.get(ref, ())}


class Register:
    """Keeps the books about the documents of one owner.

    Args:
        view: gives the secretary's view of a scope, which alone writes the record.
        scope: whose documents.
    """

    def __init__(self, view: Callable[[Scope], SecretaryView], scope: Scope):
        self._view = view
        self._scope = scope

    def log(self, path: Path) -> Log:
        """What is known of a document."""
        return log_of(self._of(str(path)).events())

    def known(self) -> list[str]:
        """Every document that was ever read, oldest first."""
        named = [event.arguments or {} for event in self._view(self._scope.on(_ALL)).events()]
        return [str(said["document"]) for said in named if "document" in said]

    def pace(self, teacher: str) -> float | None:
        """Seconds that a teacher took for a passage when it was last at work here, or None."""
        notes = [event.arguments or {} for event in self._view(self._scope.on(_ALL)).events()]
        return next((one["seconds"] / one["passages"] for one in notes[::-1] if one.get("teacher") == teacher), None)

    def note_pace(self, teacher: str, passages: int, seconds: float) -> None:
        """Note how long a teacher took, for the next estimate."""
        said = {"teacher": teacher, "passages": passages, "seconds": round(seconds, 1)}
        self._note(self._view(self._scope.on(_ALL)), DocumentAction.PACE, said)

    def open(self, source: Source, passages: Sequence[Passage], *, again: bool) -> OpenDocument:
        """Record a document as it stands, as far as it is not recorded yet.

        Args:
            source: the file.
            passages: of its text.
            again: take nothing over from what was distilled before, unless that has not come to its end.
        """
        path, view, log = str(source.path), self._of(str(source.path)), self.log(source.path)
        digests = [passage.digest for passage in passages]
        if not log.holds(source.digest, digests) or (again and log.is_done(source.digest)):
            kept = {} if again else {d: ref for d, ref in log.distilled().items() if d in digests}
            said: dict[str, Any] = {"document": path, "digest": source.digest, "passages": digests, "kept": kept}
            self._note(view, DocumentAction.VERSION, said)
            self._list(path)
        self._record(view, log_of(view.events()), source, passages)
        return self._opened(source, log_of(view.events()))

    def event(self, ref: str) -> Event:
        """A recorded passage."""
        return self._view(self._scope).event(ref)

    def distilled(self, document: OpenDocument, ref: str, cards: Sequence[str]) -> None:
        """Note which cards came of a passage, be it none."""
        document.cards[ref] = list(cards)
        self._note(self._of(document.path), DocumentAction.DISTILLED, {"cards": list(cards)}, ref)

    def failed(self, document: OpenDocument, ref: str, problem: str) -> None:
        """Note why nothing could be made of a passage; the next run tries again."""
        self._note(self._of(document.path), DocumentAction.FAILED, {"problem": problem}, ref)

    def close(self, document: OpenDocument) -> None:
        """Note that all of a document is distilled, and let searches find no passage that it no longer holds."""
        view = self._of(document.path)
        for ref in sorted(document.stale):
            self._note(view, DocumentAction.WITHDRAWN, {}, ref)
        self._note(view, DocumentAction.CLOSED, {}, document.version)

    # --- the record -------------------------------------------------------------------------------------------------

    def _of(self, path: str) -> SecretaryView:
        return self._view(self._scope.on(f"document:{hashlib.sha256(path.encode()).hexdigest()[:16]}"))

    def _note(
        self, view: SecretaryView, action: DocumentAction, said: dict[str, Any], parent: str | None = None
    ) -> None:
        view.record(_ACTOR, action, arguments=said, parent=parent)

    def _list(self, path: str) -> None:
        view = self._view(self._scope.on(_ALL))
        key = f"{DocumentAction.KNOWN}:{path}"
        view.record(_ACTOR, DocumentAction.KNOWN, arguments={"document": path}, idempotency_key=key)

    def _record(self, view: SecretaryView, log: Log, source: Source, passages: Sequence[Passage]) -> None:
        version = log.versions[-1]
        for number, passage in enumerate(passages):
            if passage.digest not in version.kept and (version.ref, number) not in log.events:
                view.record(
                    _ACTOR, DocumentAction.PASSAGE, observation=passage.text, parent=version.ref, step=number,
                    arguments={"file": source.path.name}, at=source.at, idempotency_key=f"{version.ref}:{number}",
                )  # fmt: skip

    def _opened(self, source: Source, log: Log) -> OpenDocument:
        version = log.versions[-1]
        refs = [version.kept.get(d) or log.events[version.ref, n] for n, d in enumerate(version.passages)]
        lost = set(log.events.values()) - set(refs)
        cards = {ref: log.cards[ref] for ref in refs if ref in log.cards}
        return OpenDocument(
            path=str(source.path), at=source.at, version=version.ref, digest=version.digest, refs=refs, cards=cards,
            former={card for ref in lost for card in log.cards.get(ref, ())}, lost=lost, stale=lost - log.withdrawn,
        )  # fmt: skip
