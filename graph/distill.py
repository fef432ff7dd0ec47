"""The distill graph: ``extract → link → review → store``, one passage at a time until all documents are done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache
from typing import Any, Literal, cast
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from memory_secretary.graph.metered import ANY_NUMBER, SpentError, metered
from memory_secretary.graph.settings import RunContext, Settings, from_environment, scope_of, settled
from memory_secretary.memory.bilingual import said, speaking, spoken
from memory_secretary.memory.errors import ModelError
from memory_secretary.memory.roles import Role
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.distill.desk import Desk, Opened
from memory_secretary.nodes.distill.extract import Extracted, Extractor, Task, facts
from memory_secretary.nodes.distill.link import linked, same_subject
from memory_secretary.nodes.distill.register import Register
from memory_secretary.nodes.distill.review import reviewed
from memory_secretary.nodes.distill.state import DistillInput, DistillState
from memory_secretary.nodes.distill.store import store
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.resolve import check_model, resolve_model

NODES = ("extract", "link", "review", "store")
EXTRACTORS: Sequence[Extractor] = (facts,)
"""What looks at each passage; each makes cards of its own kind."""
DistillGraph = CompiledStateGraph[DistillState, RunContext, DistillInput, DistillState]


def build_distill_graph(
    teacher: str | BaseChatModel | ModelHandle | Callable[[], ModelHandle],
    memory: TieredMemory,
    settings: Settings | None = None,
    *,
    extractors: Sequence[Extractor] = EXTRACTORS,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
) -> DistillGraph:
    """Compile the graph that makes long-term cards of documents.

    Its input is ``{"paths": [...]}``, see :class:`~memory_secretary.nodes.distill.state.DistillInput`; its end, see
    ``DistillState``, tells what was done and what failed. Without a checkpointer, too, a run that was broken off goes
    on where it stopped: what is distilled stands in the memory.

    Args:
        teacher: the model that reads the documents; it is made ready when the first passage needs it.
        memory: where the documents are recorded and the cards written.
        settings: for whom, in which language, and ``secretary_window``, the teacher's window; None takes the
            environment's.
        extractors: what makes cards of a passage.
        checkpointer: LangGraph's own; not needed.

    Raises:
        SettingsError: no model is called so.
        ModelError: an embedded model has no such weights.
    """
    chosen = settings or from_environment()
    nodes = _Nodes(teacher_at_need(teacher, chosen.secretary_window), memory, chosen, extractors)
    graph = StateGraph(DistillState, context_schema=RunContext, input_schema=DistillInput)
    for name in NODES:
        graph.add_node(name, getattr(nodes, name))
    graph.add_edge(START, "extract")
    graph.add_conditional_edges("extract", _after_extract, ["link", END])
    graph.add_edge("link", "review")
    graph.add_edge("review", "store")
    graph.add_conditional_edges("store", _after_store, ["extract", END])
    compiled = graph.compile(checkpointer=checkpointer, name="distill")
    return compiled.with_config(recursion_limit=ANY_NUMBER)


def teacher_at_need(
    teacher: str | BaseChatModel | ModelHandle | Callable[[], ModelHandle], window: int
) -> Callable[[], ModelHandle]:
    """Gives the teacher, made at its first use: where nothing has changed no model is needed.

    Raises:
        SettingsError: no model is called so.
        ModelError: an embedded model has no such weights.
    """
    if isinstance(teacher, ModelHandle):
        return lambda: teacher
    if isinstance(teacher, str):
        check_model(teacher)
    elif not isinstance(teacher, BaseChatModel):
        return teacher
    return cache(lambda: resolve_model(teacher, window=window, slots=1))


def _after_extract(state: DistillState) -> Literal["link", "__end__"]:
    return "link" if state["at_work"] else "__end__"


def _after_store(state: DistillState) -> Literal["extract", "__end__"]:
    return "extract" if state["status"] == "running" else "__end__"


class _Nodes:
    """The nodes; each is given for whom it works by the call's context."""

    def __init__(
        self, teacher: Callable[[], ModelHandle], memory: TieredMemory, settings: Settings,
        extractors: Sequence[Extractor],
    ):  # fmt: skip
        self._teacher = teacher
        self._memory = memory
        self._settings = settings
        self._extractors = extractors
        self._desks: dict[str, Desk] = {}
        self._lock = threading.Lock()

    def extract(self, state: DistillState, runtime: Runtime[RunContext], config: RunnableConfig) -> DistillState:
        """Have the teacher read the next passage; where none is left, or it cannot be asked, the run ends."""
        with self._speaking(runtime):
            desk, run = self._desk(runtime), _copied(state)
            run = desk.begin(run)
            try:
                return self._extracted(desk, run, runtime, config)
            except ModelError as error:
                return _ended(run, "stopped", error.sentence(spoken()))
            except SpentError:
                return _ended(run, "stopped", said("no call is left", "调用次数已用完"))

    def link(self, state: DistillState, runtime: Runtime[RunContext]) -> DistillState:
        """Relate what was found to what is known."""
        opened, desk = self._opened(state, runtime), self._desk(runtime)
        if opened is None:
            return {"drafts": []}
        document = opened.document
        return {"drafts": linked(state["drafts"], desk.view, document.own_cards, document.former)}

    def review(self, state: DistillState, runtime: Runtime[RunContext]) -> DistillState:
        """Leave out what may not be written."""
        opened, desk, at_work = self._opened(state, runtime), self._desk(runtime), state["at_work"]
        if opened is None or at_work is None:
            return {"drafts": []}
        own = opened.document.own_cards
        subjects = {draft["subject"] for draft in state["drafts"]} if own else set()
        known = [card for subject in sorted(subjects) for card in same_subject(desk.view, subject)]
        with self._speaking(runtime):
            text = desk.register.event(at_work["ref"]).observation
            kept, refused = reviewed(state["drafts"], text, known, own)
        return {"drafts": kept, **_refused(state, refused)}

    def store(self, state: DistillState, runtime: Runtime[RunContext]) -> DistillState:
        """Write the cards and note that the passage is done; what could not be read of it waits for the next run."""
        opened, desk, at_work = self._opened(state, runtime), self._desk(runtime), state["at_work"]
        if opened is None or at_work is None:
            return {"at_work": None}
        with self._speaking(runtime):
            run, document, ref = _copied(state), opened.document, at_work["ref"]
            done = store(desk.view, run["drafts"], datetime.fromisoformat(at_work["at"]), document.version)
            figures = run["figures"]
            figures["cards"] += done.new
            figures["known"] += len(done.refs) - done.new
            if at_work["problem"]:
                desk.register.failed(document, ref, at_work["problem"])
                run["tried"].append(ref)
                part = said(f"part {at_work['number'] + 1}: ", f"第 {at_work['number'] + 1} 段：")
                run["failures"].append({"path": document.path, "reason": part + at_work["problem"]})
            else:
                desk.register.distilled(document, ref, done.refs)
            figures["passages"] += 1
            run |= {**_refused(run, done.refused), "at_work": None, "drafts": []}
        runtime.stream_writer({"distilled": at_work | {"cards": len(done.refs)}, "figures": run["figures"]})
        return run

    # --- extract ----------------------------------------------------------------------------------------------------

    def _extracted(
        self, desk: Desk, run: DistillState, runtime: Runtime[RunContext], config: RunnableConfig
    ) -> DistillState:
        following = desk.next(run)
        if following is None:
            return _ended(run, "done", "")
        opened, number = following
        document = opened.document
        options = settled(self._settings, runtime.context)
        event = desk.register.event(document.refs[number])
        task = Task(event, opened.validity, ZoneInfo(options.zone), options.secretary_window)
        found = self._read(task, run, config)
        run["at_work"] = {
            "path": document.path, "ref": event.event_id, "number": number, "of": len(document.refs),
            "at": document.at.isoformat(), "problem": found.problem,
        }  # fmt: skip
        return {**run, "drafts": found.drafts, **_refused(run, [one.reason for one in found.refused])}

    def _read(self, task: Task, run: DistillState, config: RunnableConfig) -> Extracted:
        ask = metered(self._teacher, run["figures"], run.get("calls", ANY_NUMBER), config)
        found = Extracted()
        for extractor in self._extractors:
            one = extractor(task, ask)
            found.drafts += one.drafts
            found.refused += one.refused
            found.problem = found.problem or one.problem
        return found

    # --- for whom ---------------------------------------------------------------------------------------------------

    def _desk(self, runtime: Runtime[RunContext]) -> Desk:
        options = settled(self._settings, runtime.context)
        scope = scope_of(options, None)
        with self._lock:
            if scope.owner not in self._desks:
                register = Register(lambda scope: self._memory.view(Role.SECRETARY, scope), scope)
                view = self._memory.view(Role.DISTILLER, scope)
                self._desks[scope.owner] = Desk(register, view, options.secretary_window)
            return self._desks[scope.owner]

    def _opened(self, state: DistillState, runtime: Runtime[RunContext]) -> Opened | None:
        at_work = state["at_work"]
        return self._desk(runtime).at_work(at_work["path"], at_work["ref"]) if at_work else None

    def _speaking(self, runtime: Runtime[RunContext]) -> AbstractContextManager[None]:
        lang = settled(self._settings, runtime.context).lang
        return speaking(spoken() if lang == "auto" else lang)


def _ended(run: DistillState, status: str, reason: str) -> DistillState:
    return {**run, "status": status, "stop_reason": reason, "at_work": None, "drafts": []}


def _copied(state: DistillState) -> DistillState:
    """The state with lists and figures that may be changed: LangGraph keeps the ones that it handed over."""
    return cast(
        DistillState, {name: value.copy() if isinstance(value, list | dict) else value for name, value in state.items()}
    )


def _refused(state: DistillState, reasons: Sequence[str]) -> DistillState:
    """Count what became no card, and keep each reason once."""
    figures = state["figures"]
    return {
        "figures": {**figures, "refused": figures["refused"] + len(reasons)},
        "reasons": list(dict.fromkeys([*state["reasons"], *reasons])),
    }
