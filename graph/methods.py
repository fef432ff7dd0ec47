"""The graph that learns methods: ``gather → learn``, one kind of task at a time until every kind has its card."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from memory_secretary.graph.distill import teacher_at_need
from memory_secretary.graph.metered import ANY_NUMBER, SpentError, metered
from memory_secretary.graph.settings import RunContext, Settings, from_environment, scope_of, settled
from memory_secretary.memory.bilingual import said, speaking, spoken
from memory_secretary.memory.errors import ModelError
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.methods.learn import Learned, Learner, Lesson
from memory_secretary.nodes.models.handle import ModelHandle

NODES = ("gather", "learn")


class MethodsInput(TypedDict, total=False):
    """What is to be learned.

    Attributes:
        again: also the kinds whose method rests on enough tasks, e.g. with a stronger teacher.
        calls: calls of the teacher at most; left out, as many as it takes.
    """

    again: bool
    calls: int


class MethodFailure(TypedDict):
    """A kind of task that gave no method, and why."""

    kind: str
    reason: str


class MethodFigures(TypedDict):
    """What a run has come to: tasks and kinds that were found, cards that were written, what the teacher took."""

    tasks: int
    unchanged: int
    methods: int
    refused: int
    calls: int
    tokens: int
    seconds: float


class MethodsState(MethodsInput, total=False):
    """A run.

    Attributes:
        queue: the kinds that are still to be learned.
        cards: ids of the cards that were written.
        figures: what was done.
        failures: kinds that gave no method; the next run tries them again.
        reasons: why parts of the teacher's answers were not used, each once.
        status: ``running``, ``done`` (maybe with failures), or ``stopped``.
        stop_reason: why it ended before all was done.
    """

    queue: list[str]
    cards: list[str]
    figures: MethodFigures
    failures: list[MethodFailure]
    reasons: list[str]
    status: str
    stop_reason: str


MethodsGraph = CompiledStateGraph[MethodsState, RunContext, MethodsInput, MethodsState]


def build_methods_graph(
    teacher: str | BaseChatModel | ModelHandle | Callable[[], ModelHandle],
    memory: TieredMemory,
    settings: Settings | None = None,
    *,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
) -> MethodsGraph:
    """Compile the graph that learns from finished tasks how tasks of their kinds are done.

    Its input is :class:`MethodsInput`, its end :class:`MethodsState`. A run that was broken off goes on where it
    stopped: each method stands in the memory as soon as it is learned.

    Args:
        teacher: the model that words what code cannot; it is made ready when the first kind needs it.
        memory: whose finished tasks are learned from and where the cards are written.
        settings: for whom, in which language, and ``secretary_window``, the teacher's window; None takes the
            environment's.
        checkpointer: LangGraph's own; not needed.

    Raises:
        SettingsError: no model is called so.
        ModelError: an embedded model has no such weights.
    """
    chosen = settings or from_environment()
    nodes = _Nodes(teacher_at_need(teacher, chosen.secretary_window), memory, chosen)
    graph = StateGraph(MethodsState, context_schema=RunContext, input_schema=MethodsInput)
    for name in NODES:
        graph.add_node(name, getattr(nodes, name))
    graph.add_edge(START, "gather")
    graph.add_conditional_edges("gather", _following, ["learn", END])
    graph.add_conditional_edges("learn", _following, ["learn", END])
    return graph.compile(checkpointer=checkpointer, name="methods").with_config(recursion_limit=ANY_NUMBER)


def _following(state: MethodsState) -> Literal["learn", "__end__"]:
    return "learn" if state["status"] == "running" else "__end__"


class _Nodes:
    """The nodes; each is given for whom it works by the call's context."""

    def __init__(self, teacher: Callable[[], ModelHandle], memory: TieredMemory, settings: Settings):
        self._teacher = teacher
        self._memory = memory
        self._settings = settings
        self._lessons: dict[tuple[str, str], Lesson] = {}
        self._lock = threading.Lock()

    def gather(self, state: MethodsState, runtime: Runtime[RunContext]) -> MethodsState:
        """Find what there is to learn."""
        learner, owner = self._learner(runtime)
        found = learner.lessons(again=state.get("again", False))
        with self._lock:
            self._lessons |= {(owner, lesson.kind): lesson for lesson in found.wanted}
        figures = MethodFigures(
            tasks=found.tasks, unchanged=found.unchanged, methods=0, refused=0, calls=0, tokens=0, seconds=0.0
        )
        return {
            "queue": [lesson.kind for lesson in found.wanted], "cards": [], "figures": figures, "failures": [],
            "reasons": [], "status": "running" if found.wanted else "done", "stop_reason": "",
        }  # fmt: skip

    def learn(self, state: MethodsState, runtime: Runtime[RunContext], config: RunnableConfig) -> MethodsState:
        """Have the teacher word the next kind's method and write its card; where it cannot be asked, the run ends."""
        with self._speaking(runtime):
            learner, owner = self._learner(runtime)
            figures: Any = dict(state["figures"])
            kind, *rest = state["queue"]
            try:
                done = self._done(learner, owner, kind, state, figures, config)
            except ModelError as error:
                return {"figures": figures, "status": "stopped", "stop_reason": error.sentence(spoken())}
            except SpentError:
                reason = said("no call is left", "调用次数已用完")
                return {"figures": figures, "status": "stopped", "stop_reason": reason}
        figures["methods"] += done.card is not None
        figures["refused"] += len(done.refused)
        runtime.stream_writer({"learned": kind, "figures": figures})
        failed = [MethodFailure(kind=kind, reason=done.problem)] if done.problem else []
        return {
            "queue": rest, "cards": [*state["cards"], *([done.card.memory_id] if done.card else [])],
            "figures": figures, "failures": [*state["failures"], *failed],
            "reasons": list(dict.fromkeys([*state["reasons"], *done.refused])),
            "status": "running" if rest else "done",
        }  # fmt: skip

    def _done(
        self, learner: Learner, owner: str, kind: str, state: MethodsState, figures: Any, config: RunnableConfig
    ) -> Learned:
        ask = metered(self._teacher, figures, state.get("calls", ANY_NUMBER), config)
        lesson = self._lesson(learner, owner, kind, again=state.get("again", False))
        return learner.learn(lesson, ask) if lesson else Learned()

    def _lesson(self, learner: Learner, owner: str, kind: str, *, again: bool) -> Lesson | None:
        """The lesson of a kind; another process may have gathered it, or its tasks may be gone since."""
        with self._lock:
            held = self._lessons.pop((owner, kind), None)
        found = [] if held else learner.lessons(again=again).wanted
        return held or next((lesson for lesson in found if lesson.kind == kind), None)

    def _learner(self, runtime: Runtime[RunContext]) -> tuple[Learner, str]:
        options = settled(self._settings, runtime.context)
        scope: Scope = scope_of(options, None)
        return Learner(self._memory, scope, options.secretary_window), scope.owner

    def _speaking(self, runtime: Runtime[RunContext]) -> AbstractContextManager[None]:
        lang = settled(self._settings, runtime.context).lang
        return speaking(spoken() if lang == "auto" else lang)
