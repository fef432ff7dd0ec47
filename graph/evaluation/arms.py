"""The arms of an on/off comparison: three plain ones, and the secretary with any mechanism switched off.

All ask the same executor for the same schema step, with the same tools, step limit and window.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool
from langgraph.graph.state import CompiledStateGraph

from memory_secretary.graph.builder import build_graph
from memory_secretary.graph.evaluation.baselines import conversed
from memory_secretary.graph.evaluation.result import ArmResult, Turn
from memory_secretary.graph.settings import Settings
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.options import MECHANISMS

SLIDING = "sliding-window"
ROLLING = "rolling-summary"
WHOLE = "whole-history"
OURS = "secretary"

_Graph = CompiledStateGraph[Any, Any, Any, Any]
_SUMMED = (
    *("steps", "tool_calls", "repeats", "prompt_tokens", "read_tokens", "reply_tokens"),
    *("secretary_calls", "secretary_tokens", "secretary_reply_tokens"),
)


def arm_names() -> list[str]:
    """Every arm: the plain ones, the secretary, and the secretary with each mechanism switched."""
    return [SLIDING, ROLLING, WHOLE, OURS, *switched_arms()]


def switched_arms() -> list[str]:
    """The secretary without each mechanism that is on by default, and with each that is off."""
    defaults = Settings()
    return [f"{OURS} {'without' if getattr(defaults, name) else 'with'} {name}" for name in MECHANISMS]


def run_arm(
    arm: str,
    turns: Sequence[Turn],
    *,
    executor: ModelHandle,
    tools: Sequence[BaseTool],
    settings: Settings,
    open_memory: Callable[[], TieredMemory],
    noting: ModelHandle | None = None,
    timer: Callable[[], float] = time.perf_counter,
) -> ArmResult:
    """Run one task in one arm.

    Args:
        arm: one of :func:`arm_names`.
        turns: what the user says, each in its thread; the plain arms have all of it in one conversation.
        executor: the acting model.
        tools: what it may call.
        settings: windows, user, and the step limit of each turn.
        open_memory: gives an empty memory for the run.
        noting: the secretary's model; None takes the executor's for both roles. The plain arms have no use for it.
        timer: the clock, in seconds.
    """
    started = timer()
    if arm in (SLIDING, ROLLING, WHOLE):
        result = conversed(
            turns,
            executor=executor,
            tools=tools,
            settings=settings,
            summarize=arm == ROLLING,
            whole=arm == WHOLE,
        )
    else:
        chosen = settings if arm == OURS else replace(settings, **switched(arm.rpartition(" ")[2]))
        with open_memory() as memory:
            result = secretary(turns, executor=executor, tools=tools, settings=chosen, memory=memory, noting=noting)
    result.seconds = round(timer() - started, 1)
    return result


def switched(mechanism: str) -> dict[str, Any]:
    """The change of settings that switches one mechanism off, or on where it is off by default."""
    return {mechanism: not getattr(Settings(), mechanism)}


def secretary(
    turns: Sequence[Turn],
    *,
    executor: ModelHandle,
    tools: Sequence[BaseTool],
    settings: Settings,
    memory: TieredMemory,
    noting: ModelHandle | None = None,
) -> ArmResult:
    """The turns in the secretary graph, one after the other; ``noting`` is another model for the secretary."""
    graph = build_graph(executor, noting, memory=memory, tools=list(tools), settings=settings)
    result = ArmResult()
    for turn in turns:
        _add(result, *_turn(graph, turn, settings.max_steps))
    return result


def _turn(
    graph: CompiledStateGraph[Any, Any, Any, Any], turn: Turn, max_steps: int
) -> tuple[dict[str, Any], list[int]]:
    """One turn's last state, and the tokens of each step's prompt."""
    thread, text = turn
    config: Any = {"configurable": {"thread_id": thread}, "recursion_limit": 10 * max_steps}
    out: dict[str, Any] = {}
    prompts: list[int] = []
    parts: Iterator[Any] = graph.stream({"messages": [HumanMessage(text)]}, config, stream_mode=["custom", "values"])
    for mode, part in parts:
        if mode == "values":
            out = part
        elif "prompt_tokens" in part:
            prompts.append(part["prompt_tokens"])
    return out, prompts


def _add(result: ArmResult, out: dict[str, Any], prompts: list[int]) -> None:
    figures = out["figures"]
    for name in _SUMMED:
        setattr(result, name, getattr(result, name) + figures[name])
    result.largest_prompt = max(result.largest_prompt, figures["largest_prompt"])
    result.seconds_by_node = dict(Counter(result.seconds_by_node) + Counter(figures["seconds"]))
    result.prompts += prompts
    result.answer, result.stop_reason = str(out["messages"][-1].text), out["stop_reason"]
