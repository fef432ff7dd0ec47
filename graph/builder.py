"""Builds the secretary graph: ``retrieve → summarize → plan → (act → retrieve … | precipitate)``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolRuntime
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from memory_secretary.graph.checkpoints import without_secrets
from memory_secretary.graph.folding import Folding
from memory_secretary.graph.settings import RunContext, Settings, from_environment, scope_of, settled
from memory_secretary.graph.tracing.attach import handlers
from memory_secretary.graph.tracing.spans import NODES
from memory_secretary.memory.clock import random_id
from memory_secretary.memory.errors import ScopeError, SettingsError
from memory_secretary.memory.records import ASK, RECORD_TOOLS
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.tokens import TokenCounter
from memory_secretary.memory.vault import Vault
from memory_secretary.memory.views import SecretaryView
from memory_secretary.nodes.act import Act
from memory_secretary.nodes.asking import SecretaryOf, ask_tool
from memory_secretary.nodes.benefits import Counting
from memory_secretary.nodes.brakes import no_brakes
from memory_secretary.nodes.candidates import shape_of
from memory_secretary.nodes.menu import FINAL, all_of
from memory_secretary.nodes.models.embedding import lend_embedder
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.plan import Plan, offered, schema_tokens
from memory_secretary.nodes.precipitate import Precipitate
from memory_secretary.nodes.prompt import brief_room, reply_room, system_text, window_too_small
from memory_secretary.nodes.retrieve import Retrieve
from memory_secretary.nodes.run import Run, RunSource
from memory_secretary.nodes.secretary import Secretary
from memory_secretary.nodes.settlement import Settlement
from memory_secretary.nodes.spending import allowance
from memory_secretary.nodes.state import InputState, OutputState, State, spent_so_far
from memory_secretary.nodes.summarize import Summarize
from memory_secretary.tools.asynchronous import callable_in_sync
from memory_secretary.tools.records import RecordView, ViewOf, record_tools
from memory_secretary.tools.registry import as_tools, needs_store, signature

Node = Callable[..., Any]
SecretaryGraph = CompiledStateGraph[State, RunContext, InputState, OutputState]

_SLOTS = 2
"""One for each role, so that they do not evict each other's prompt cache."""


def build_graph(
    executor: str | BaseChatModel | ModelHandle,
    secretary: str | BaseChatModel | ModelHandle | None = None,
    *,
    memory: TieredMemory,
    tools: Sequence[BaseTool | Callable[..., Any]] = (),
    settings: Settings | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    store: BaseStore | None = None,
    nodes: Mapping[str, Node] | None = None,
    trace: str | Path | None = None,
    new_id: Callable[[], str] = random_id,
    timer: Callable[[], float] = time.perf_counter,
) -> SecretaryGraph:
    """Compile the secretary graph.

    A thread is a conversation and takes one run at a time: a message that arrives while a run is at work may amend its
    task or begin one of its own. Inputs that have nothing to do with each other, as in ``batch``, need threads of
    their own.

    Args:
        executor: the acting model: ``ollama:…``, ``openai:…``, ``embedded`` or a chat model.
        secretary: the model that keeps the notes; None takes the executor's for both roles.
        memory: where everything is recorded; it is not closed with the graph.
        tools: LangChain tools or typed functions with a docstring.
        settings: windows, limits and switches; None takes the environment's and the defaults.
        checkpointer: LangGraph's own, which is given no secrets to write; None as in Studio, which brings one.
        store: LangGraph's own, for tools that use one.
        nodes: nodes of your own that replace those of the same name (see ``NODES``); long lists of the task state
            are folded between nodes, and the secretary's view unfolds them.
        trace: a file to which every run appends what it did (see ``docs/trace.md``); None takes the one that
            ``MEMORY_SECRETARY_TRACE`` names, if it is set.
        new_id: source of ids.
        timer: clock for the figures, in seconds.

    Raises:
        StorageError: the trace cannot be written.
        SettingsError: a tool cannot be used or needs a store, the menu alone fills the executor's window, or the
            memory is to embed with the executor's model and its server cannot.
        EmbedderMismatch: the memory's index was made with another embedder than the executor's model.
        ModelError: a model's server cannot be reached or has no such model.
    """
    chosen = settings or from_environment()
    traces = handlers(trace)
    acting = _handle(executor, chosen.executor_window, other=chosen.secretary_window)
    noting = acting if secretary is None else _handle(secretary, chosen.secretary_window)
    lend_embedder(acting, memory)
    checked = [callable_in_sync(tool) for tool in as_tools(tools)]
    _check_store(checked, store)
    taken = {tool.name for tool in checked}
    noting = noting.for_role(1)
    views = record_views(memory, chosen)
    ours = [*record_tools(views), ask_tool(views, secretary_source(noting, chosen))]
    checked += [tool for tool in ours if tool.name not in taken]
    made = _nodes(chosen, acting.for_role(0), noting, memory, checked, new_id, timer)
    unknown = sorted(set(nodes or {}) - set(made))
    if unknown:
        msg = f"there is no node {', '.join(unknown)} to replace; the nodes are {', '.join(NODES)}"
        raise SettingsError(msg, zh=f"没有名为 {'、'.join(unknown)} 的节点可替换；节点有 {'、'.join(NODES)}")
    saver = None if checkpointer is None else without_secrets(checkpointer)
    graph = _wired({**made, **(nodes or {})}).compile(checkpointer=saver, store=store, name="secretary")
    return graph.with_config(callbacks=traces) if traces else graph


def _handle(spec: str | BaseChatModel | ModelHandle, window: int, other: int = 0) -> ModelHandle:
    """One model, one server, one window: a model for both roles gets the larger of the two."""
    if isinstance(spec, ModelHandle):
        return spec
    return resolve_model(spec, window=max(window, other), slots=_SLOTS)


def _nodes(
    settings: Settings,
    executor: ModelHandle,
    secretary: ModelHandle,
    memory: TieredMemory,
    tools: Sequence[BaseTool],
    new_id: Callable[[], str],
    timer: Callable[[], float],
) -> dict[str, Node]:
    run = run_source(settings)
    shapes = [shape_of(tool) for tool in tools]
    system = _systems(tools)
    room = _room_for_brief(system, executor.count)
    schema = schema_tokens(executor, all_of(offered(shapes, settings)))
    _check_window(settings.executor_window, room(settings), schema)

    def secretary_view(scope: Scope) -> SecretaryView:
        return memory.view(Role.SECRETARY, scope)

    nodes: dict[str, Node] = {
        "retrieve": Retrieve(
            lambda scope: memory.view(Role.RETRIEVER, scope),
            run,
            timer,
            looks_up=any(shape.name not in RECORD_TOOLS for shape in shapes),
            tools=[shape.name for shape in shapes],
        ),
        "summarize": Summarize(
            secretary_view,
            run,
            secretary=secretary,
            shapes=[shape for shape in shapes if shape.name not in RECORD_TOOLS],
            budget=lambda options: max(0, room(options)),
            told=lambda menu: schema_tokens(executor, menu),
            count=executor.count,
            new_id=new_id,
            timer=timer,
        ),
        "plan": Plan(run, executor=executor, shapes=shapes, system=system, new_id=new_id, timer=timer),
        "act": Act(lambda scope: memory.view(Role.EXECUTOR, scope), run, tools=tools, timer=timer),
        "precipitate": Counting(
            Precipitate(
                secretary_view,
                run,
                new_id=new_id,
                timer=timer,
                settle=Settlement(lambda scope: memory.view(Role.PRECIPITATOR, scope), secretary),
            ),
            secretary_view,
            run,
        ),
    }
    return {name: Folding(node, secretary_view, run) for name, node in nodes.items()}


def _systems(tools: Sequence[BaseTool]) -> Callable[[str, bool], str]:
    """The fixed part of the executor's prompt, given the run's language and whether ``ask`` is offered."""

    @cache
    def text(lang: str, asking: bool) -> str:
        return system_text([signature(tool) for tool in tools if asking or tool.name != ASK], lang)

    return text


def _room_for_brief(system: Callable[[str, bool], str], count: TokenCounter) -> Callable[[Options], int]:
    """Tokens that the fixed part leaves for the brief in any language, given the options."""

    @cache
    def room(window: int, asking: bool) -> int:
        return min(brief_room(window, system(lang, asking), count) for lang in ("en", "zh"))

    return lambda options: room(options.executor_window, options.asking)


_LEAST_BRIEF = 256
"""Tokens; a shorter brief cannot hold a goal, an item and a reminder."""


def _check_window(window: int, room: int, schema: int) -> None:
    """Refuse a menu that leaves too little for the brief.

    Args:
        window: the executor's window in tokens.
        room: tokens of it that are left for the brief where the server is held to the schema of a step.
        schema: tokens of that schema where the server has to be told it.
    """
    missing = _LEAST_BRIEF + schema - room
    if missing > 0:
        raise window_too_small(window - reply_room(window) + missing, schema, window)


def _check_store(tools: Sequence[BaseTool], store: BaseStore | None) -> None:
    names = [tool.name for tool in tools if store is None and needs_store(tool)]
    if names:
        msg = f"the tool {names[0]} needs a store: pass one as store=, e.g. langgraph.store.memory.InMemoryStore()"
        zh = f"工具 {names[0]} 需要 store：请用 store= 传入，例如 langgraph.store.memory.InMemoryStore()"
        raise SettingsError(msg, zh=zh)


def record_views(memory: TieredMemory, settings: Settings) -> ViewOf:
    """What the executor's own look-ups may see: what a retriever sees in the run's scope."""

    def view_of(runtime: ToolRuntime[Any]) -> RecordView:
        return memory.view(Role.RETRIEVER, scope_of(settled(settings, runtime.context), _thread(runtime.config)))

    return view_of


def secretary_source(handle: ModelHandle, settings: Settings) -> SecretaryOf:
    """The secretary that answers the executor's questions, within what a run may still spend on it."""

    def secretary_of(runtime: ToolRuntime[Any]) -> Secretary:
        options = settled(settings, runtime.context)
        left = allowance(options, spent_so_far(cast(State, runtime.state)))
        return Secretary(handle, window=options.secretary_window, left=left, config=runtime.config)

    return secretary_of


def _thread(config: RunnableConfig) -> str:
    thread = (config.get("configurable") or {}).get("thread_id")
    if thread is None:
        msg = 'a run needs a thread: pass {"configurable": {"thread_id": "…"}} as its config'
        raise ScopeError(msg, zh='运行需要一个线程：请在 config 里给出 {"configurable": {"thread_id": "…"}}')
    return str(thread)


def run_source(settings: Settings) -> RunSource:
    """How each node learns for whom and with which settings it works; the secrets it sees are shared by all nodes."""
    vault = Vault()

    def source(runtime: Runtime[Any], config: RunnableConfig) -> Run:
        chosen = settled(settings, runtime.context)
        info = runtime.execution_info
        task = info.task_id if info else ""
        run = Run(
            options=chosen,
            scope=scope_of(chosen, _thread(config)),
            task_id=task,
            config=config,
            write=runtime.stream_writer,
            rewound="checkpoint_id" in (config.get("metadata") or {}),
            vault=vault,
        )
        return replace(run, write=partial(_told, run))

    return source


def _told(run: Run, chunk: dict[str, Any]) -> None:
    """Send a chunk to the stream, and to whoever traces the run unless it is a piece of the answer."""
    run.write(chunk)
    if "answer" not in chunk:
        run.trace(**chunk)


def after_plan(state: State) -> Literal["act", "precipitate"]:
    """The answer, or a step that cannot be decided any more, ends the run; anything else is acted on."""
    step, brakes = state.get("next"), state.get("brakes") or no_brakes()
    ends = step is None or step["action"] == FINAL or (bool(step["problem"]) and brakes["last"])
    return "precipitate" if ends else "act"


def _wired(nodes: Mapping[str, Node]) -> StateGraph[State, RunContext, InputState, OutputState]:
    graph = StateGraph(State, context_schema=RunContext, input_schema=InputState, output_schema=OutputState)
    for name in NODES:
        graph.add_node(name, cast(Any, nodes[name]))
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "summarize")
    graph.add_edge("summarize", "plan")
    graph.add_conditional_edges("plan", after_plan, ["act", "precipitate"])
    graph.add_edge("act", "retrieve")
    graph.add_edge("precipitate", END)
    return graph
