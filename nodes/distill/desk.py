"""The documents of a run, one passage after the other: which is next, which are done, and which cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.memory.views import DistillerView
from memory_secretary.nodes.distill.document import Document, Unreadable
from memory_secretary.nodes.distill.files import files_of
from memory_secretary.nodes.distill.passages import passages_of, statements_in
from memory_secretary.nodes.distill.reading import Source, document_of, source_of
from memory_secretary.nodes.distill.register import OpenDocument, Register
from memory_secretary.nodes.distill.state import DistillState, no_figures
from memory_secretary.nodes.distill.store import close
from memory_secretary.nodes.distill.validity import Validity, validity_of_document


@dataclass(frozen=True, slots=True)
class Opened:
    """A document at work, and how long it says that it holds."""

    document: OpenDocument
    validity: Validity


class Desk:
    """Opens documents for one owner and keeps the one at work open.

    Args:
        register: keeps the books.
        view: the distiller's.
        window: tokens that the teacher reads and writes in one call.
    """

    def __init__(self, register: Register, view: DistillerView, window: int):
        self.register = register
        self.view = view
        self._window = window
        self._at_work: Opened | None = None

    def begin(self, state: DistillState) -> DistillState:
        """The state of a new run about the given paths; of one that is at work already, as it is."""
        asked = list(state.get("paths") or [])
        if state.get("status") == "running" and state.get("asked") == asked:
            return state
        found = files_of(asked)
        if not asked:
            found.fail("", said("no path was given: name files or folders", "没有给出路径：请指定文件或文件夹"))
        return {
            **state, "asked": asked, "queue": [str(path) for path in found.files], "tried": [],
            "failures": found.failures, "removed": self._removed(asked), "reasons": [], "at_work": None, "drafts": [],
            "figures": {**no_figures(), "documents": len(found.files)}, "status": "running", "stop_reason": "",
        }  # fmt: skip

    def _removed(self, asked: list[str]) -> list[str]:
        """The documents that were distilled once and are gone from the folders, or by the names, that were given."""
        given = [Path(path).expanduser().resolve() for path in asked]
        known = [path for path in map(Path, self.register.known()) if not path.exists()]
        return [str(path) for path in known if any(path.is_relative_to(one) for one in given)]

    def next(self, state: DistillState) -> tuple[Opened, int] | None:
        """The next passage that is to be distilled; what needs none is ended on the way, what cannot be read is listed.

        The state's lists and figures are brought up to date in place.
        """
        while state["queue"]:
            path = state["queue"][0]
            try:
                opened = self._opened(Path(path), again=state.get("again", False))
            except Unreadable as error:
                state["failures"].append({"path": path, "reason": error.sentence(spoken())})
            else:
                number = opened.document.next(state["tried"]) if opened else None
                if opened and number is not None:
                    return opened, number
                self._end(opened, state)
            state["queue"].pop(0)
            self._at_work = None
        return None

    def at_work(self, path: str, ref: str) -> Opened | None:
        """The open document of a passage; None where it has changed since, so that what came of it is void."""
        opened = self._at_work
        if opened is None or opened.document.path != path:  # another process opened it
            try:
                opened = self._opened(Path(path), again=False)
            except Unreadable:  # gone or changed: the next look at it says so
                return None
        return opened if opened and ref in opened.document.refs else None

    def _end(self, opened: Opened | None, state: DistillState) -> None:
        if opened is None:
            state["figures"]["unchanged"] += 1
        elif opened.document.is_whole:
            state["figures"]["superseded"] += close(opened.document, self.register, self.view)
            state["figures"]["distilled"] += 1

    def _opened(self, path: Path, *, again: bool) -> Opened | None:
        """A document with something to do; None where it is wholly distilled as it stands.

        Raises:
            Unreadable: it cannot be taken in.
        """
        source = source_of(path)
        held = self._at_work
        if held and (held.document.path, held.document.digest) == (str(path), source.digest):
            return held
        if not again and self.register.log(path).is_done(source.digest):
            return None
        self._at_work = self._open(source, document_of(source), again=again)
        return self._at_work

    def _open(self, source: Source, document: Document, *, again: bool) -> Opened:
        opened = self.register.open(source, passages_of(document, self._window), again=again)
        return Opened(opened, validity_of_document(statements_in(document)))
