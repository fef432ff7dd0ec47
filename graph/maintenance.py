"""The maintenance graph: ``consolidate → inspect → approve → apply``; it waits where a card would be changed."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict

from memory_secretary.graph.settings import RunContext, Settings, from_environment, scope_of, settled
from memory_secretary.memory.bilingual import said, speaking, spoken
from memory_secretary.memory.clock import Clock, system_clock
from memory_secretary.memory.errors import SettingsError
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.views import ConsolidatorView, InspectorView
from memory_secretary.nodes.consolidate import consolidate
from memory_secretary.nodes.inspection import Finding
from memory_secretary.nodes.inspection_words import change_of, kind_name, reason_of
from memory_secretary.nodes.inspector import Survey, apply_changes, changes, survey
from memory_secretary.nodes.models.handle import ModelHandle

NODES = ("consolidate", "inspect", "approve", "apply")
_YES, _NO = (
    ("yes", "y", "true", "ok", "approve", "是", "好", "同意"),
    ("no", "n", "false", "reject", "否", "不", "不同意"),
)


class MaintenanceInput(TypedDict, total=False):
    """Nothing has to be handed in; whose memory it is stands in the context.

    Attributes:
        approve_all: make the changes without waiting for a person, as for a run at night.
    """

    approve_all: bool


class MaintenanceState(MaintenanceInput, total=False):
    """What a run has done and found, as plain data.

    Attributes:
        consolidated: figures of the consolidation.
        survey: what the inspection found.
        approved: ids of the cards that may be changed.
        changed: ids of those that were.
        skipped: ids of those that somebody else had changed meanwhile.
        status: ``running`` until it is ``done``; a run that waits for approval has an ``__interrupt__``.
    """

    consolidated: dict[str, Any]
    survey: Survey
    approved: list[str]
    changed: list[str]
    skipped: list[str]
    status: str


MaintenanceGraph = CompiledStateGraph[MaintenanceState, RunContext, MaintenanceInput, MaintenanceState]


def build_maintenance_graph(
    model: str | BaseChatModel | ModelHandle | None,
    memory: TieredMemory,
    settings: Settings | None = None,
    *,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    clock: Clock = system_clock,
) -> MaintenanceGraph:
    """Compile the maintenance graph.

    It stops with an ``interrupt`` that holds the question and the changes; ``Command(resume=…)`` takes ``True`` (all of
    them), ``False`` (none) or a list of cards' ids.

    Args:
        model: not asked so far, and may be None: rules decide everything, and where they cannot, nothing is changed.
        memory: whose cards are looked after.
        settings: for whom and in which language; None takes the environment's.
        checkpointer: LangGraph's own, which keeps what waits for approval.
        clock: gives the present moment.

    Raises:
        SettingsError: there is no checkpointer, so that nothing could ever be approved.
    """
    del model
    if checkpointer is None:
        msg = "maintenance waits for approval, which a checkpointer has to keep: pass one, e.g. open_checkpointer(…)"
        zh = "维护图要等待批准，须由 checkpointer 保存：请传入一个，例如 open_checkpointer(…)"
        raise SettingsError(msg, zh=zh)
    return _wired(memory, settings or from_environment(), clock).compile(checkpointer=checkpointer, name="maintenance")


def served_maintenance_graph(memory: TieredMemory, settings: Settings) -> MaintenanceGraph:
    """The same for a server that brings its own checkpointer."""
    return _wired(memory, settings, system_clock).compile(name="maintenance")


class _Nodes:
    """The nodes; each is given for whom it works by the call's context."""

    def __init__(self, memory: TieredMemory, settings: Settings, clock: Clock):
        self._memory = memory
        self._settings = settings
        self._clock = clock

    def consolidate(self, _state: MaintenanceState, runtime: Runtime[RunContext]) -> MaintenanceState:
        """Settle what is settled; run again after a crash, it goes on where it stopped."""
        with self._speaking(runtime):
            done = consolidate(self._consolidator, self._scope(runtime), clock=self._clock)
        return {"consolidated": asdict(done), "approved": [], "changed": [], "skipped": [], "status": "running"}

    def inspect(self, _state: MaintenanceState, runtime: Runtime[RunContext]) -> MaintenanceState:
        """Look for what is wrong; nothing is changed."""
        with self._speaking(runtime):
            return {"survey": survey(self._inspector(runtime), clock=self._clock)}

    def approve(self, state: MaintenanceState, runtime: Runtime[RunContext]) -> MaintenanceState:
        """Wait for a person, where there is something to be changed."""
        proposed = changes(state["survey"]["findings"])
        ids = [finding["memory_id"] for finding in proposed]
        if not proposed or state.get("approve_all"):
            return {"approved": ids}
        with self._speaking(runtime):
            question = question_of(proposed)
            while True:  # each answer that cannot be understood is followed by the same question, and why
                try:
                    return {"approved": approved_by(interrupt(question), ids)}
                except SettingsError as error:
                    question = question | {"problem": str(error)}

    def apply(self, state: MaintenanceState, runtime: Runtime[RunContext]) -> MaintenanceState:
        """Make the approved changes."""
        only = changes(state["survey"]["findings"], only=state.get("approved") or [])
        done = apply_changes(self._inspector(runtime), only)
        return {"changed": done.changed, "skipped": done.skipped, "status": "done"}

    def _consolidator(self, scope: Scope) -> ConsolidatorView:
        return self._memory.view(Role.CONSOLIDATOR, scope)

    def _inspector(self, runtime: Runtime[RunContext]) -> InspectorView:
        return self._memory.view(Role.INSPECTOR, self._scope(runtime))

    def _scope(self, runtime: Runtime[RunContext]) -> Scope:
        return scope_of(settled(self._settings, runtime.context), None)

    def _speaking(self, runtime: Runtime[RunContext]) -> AbstractContextManager[None]:
        lang = settled(self._settings, runtime.context).lang
        return speaking(spoken() if lang == "auto" else lang)


def question_of(proposed: list[Finding]) -> dict[str, Any]:
    """What a person is asked, in the language spoken here: plain data, each change with its reason."""
    n = len(proposed)
    return {
        "question": said(
            f"Make these changes of status or weight ({n})? True: all; False: none; or a list of memory_id. "
            "`memory-secretary memory restore ID` takes each one back.",
            f"是否作这些状态或权重的改动（{n} 项）？True：全部；False：都不；或给出 memory_id 的列表。"
            "每一项都可用 `memory-secretary memory restore ID` 撤回。",
        ),
        "changes": [
            {
                "memory_id": one["memory_id"], "content": one["content"], "kind": kind_name(one["kind"]),
                "why": reason_of(one), "change": change_of(one), "others": one["others"],
            }
            for one in proposed
        ],
    }  # fmt: skip


def approved_by(answer: Any, proposed: list[str]) -> list[str]:
    """The cards that an answer lets be changed.

    Raises:
        SettingsError: it is neither yes nor no nor ids of what was asked about.
    """
    if isinstance(answer, dict) and len(answer) == 1:
        answer = next(iter(answer.values()))
    word = answer.strip().lower() if isinstance(answer, str) else answer
    if word is True or (isinstance(word, str) and word in _YES):
        return proposed
    if word is False or (isinstance(word, str) and word in _NO):
        return []
    named = [answer] if isinstance(answer, str) else answer
    if isinstance(named, list) and all(one in proposed for one in named):
        return [one for one in proposed if one in named]
    msg = f"{str(answer)[:80]!r} approves nothing: answer True, False, or a list of memory_id among those proposed"
    raise SettingsError(msg, zh=f"{str(answer)[:80]!r} 无法理解：请答 True、False，或所提改动中 memory_id 的列表")


def _wired(
    memory: TieredMemory, settings: Settings, clock: Clock
) -> StateGraph[MaintenanceState, RunContext, MaintenanceInput, MaintenanceState]:
    nodes = _Nodes(memory, settings, clock)
    graph = StateGraph(MaintenanceState, context_schema=RunContext, input_schema=MaintenanceInput)
    for before, name in zip((START, *NODES), NODES, strict=False):
        graph.add_node(name, getattr(nodes, name))
        graph.add_edge(before, name)
    graph.add_edge(NODES[-1], END)
    return graph
