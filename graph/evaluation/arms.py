"""The arms of an on/off comparison: a plain sliding window, and the secretary with any mechanism switched off.

Both ask the same executor for the same schema step, with the same tools, step limit and window.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool

from memory_secretary.graph.builder import build_graph
from memory_secretary.graph.settings import Settings
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.tokens import TokenCounter, clip
from memory_secretary.nodes.calls import call_key, call_text
from memory_secretary.nodes.candidates import shape_of
from memory_secretary.nodes.menu import FINAL, Menu, step_schema
from memory_secretary.nodes.models.border import Problem, Step, parse_step
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.structured import Reply, ask_json
from memory_secretary.nodes.observation import observed
from memory_secretary.nodes.options import MECHANISMS
from memory_secretary.nodes.prompt import prompt_tokens, reply_room
from memory_secretary.tools.registry import signature

SLIDING = "sliding-window"
OURS = "secretary"

_SYSTEM = """You carry out a task with tools, one step at a time.
Reply with one JSON object only: a short thought, then the action with its input.

Tools:
{tools}
- final_answer(answer: str) – End the task and answer the user, in the user's language."""
_RESULT_SHARE = 2
"""One result may take half of the prompt's room at most."""


@dataclass
class ArmResult:
    """What one run of one arm came to. Tokens are the executor's prompts as its server counted them.

    Attributes:
        prompts: tokens of each step's prompt; 0 where the executor was not asked.
        unseen: the sliding window's loss: tokens of earlier steps and results that each prompt had no room for.
    """

    answer: str = ""
    steps: int = 0
    tool_calls: int = 0
    repeats: int = 0
    prompt_tokens: int = 0
    read_tokens: int = 0
    largest_prompt: int = 0
    secretary_calls: int = 0
    secretary_tokens: int = 0
    seconds: float = 0.0
    stop_reason: str = ""
    seconds_by_node: dict[str, float] = field(default_factory=dict)
    prompts: list[int] = field(default_factory=list)
    unseen: list[int] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for a results file."""
        return asdict(self)


def arm_names() -> list[str]:
    """Every arm: the sliding window, the secretary, and the secretary without each mechanism."""
    return [SLIDING, OURS, *(f"{OURS} without {name}" for name in MECHANISMS)]


def run_arm(
    arm: str,
    goal: str,
    *,
    executor: ModelHandle,
    tools: Sequence[BaseTool],
    settings: Settings,
    open_memory: Callable[[], TieredMemory],
    timer: Callable[[], float] = time.perf_counter,
) -> ArmResult:
    """Run one task in one arm.

    Args:
        arm: one of :func:`arm_names`.
        goal: the user's request.
        executor: the model; it has both roles.
        tools: what it may call.
        settings: window, step limit and user of the run.
        open_memory: gives an empty memory for the run.
        timer: the clock, in seconds.
    """
    started = timer()
    if arm == SLIDING:
        result = sliding_window(goal, executor=executor, tools=tools, settings=settings)
    else:
        off = arm.removeprefix(f"{OURS} without ") if " without " in arm else None
        chosen = replace(settings, **switched_off(off)) if off else settings
        with open_memory() as memory:
            result = secretary(goal, executor=executor, tools=tools, settings=chosen, memory=memory)
    result.seconds = round(timer() - started, 1)
    return result


def switched_off(mechanism: str) -> dict[str, Any]:
    """The change of settings that switches one mechanism off."""
    return {mechanism: False}


def secretary(
    goal: str, *, executor: ModelHandle, tools: Sequence[BaseTool], settings: Settings, memory: TieredMemory
) -> ArmResult:
    """One run of the secretary graph."""
    graph = build_graph(executor, memory=memory, tools=list(tools), settings=settings)
    config: Any = {"configurable": {"thread_id": "task"}, "recursion_limit": 10 * settings.max_steps}
    out: dict[str, Any] = {}
    prompts: list[int] = []
    parts: Iterator[Any] = graph.stream({"messages": [HumanMessage(goal)]}, config, stream_mode=["custom", "values"])
    for mode, part in parts:
        if mode == "values":
            out = part
        elif "prompt_tokens" in part:
            prompts.append(part["prompt_tokens"])
    figures = out["figures"]
    return ArmResult(
        answer=str(out["messages"][-1].text),
        steps=figures["steps"],
        tool_calls=figures["tool_calls"],
        repeats=figures["repeats"],
        prompt_tokens=figures["prompt_tokens"],
        read_tokens=figures["read_tokens"],
        largest_prompt=figures["largest_prompt"],
        secretary_calls=figures["secretary_calls"],
        secretary_tokens=figures["secretary_tokens"],
        stop_reason=out["stop_reason"],
        seconds_by_node=dict(figures["seconds"]),
        prompts=prompts,
    )


def sliding_window(goal: str, *, executor: ModelHandle, tools: Sequence[BaseTool], settings: Settings) -> ArmResult:
    """The same executor with its newest steps and results in the prompt; the goal always stays."""
    system = SystemMessage(_SYSTEM.format(tools="\n".join(f"- {signature(tool)}" for tool in tools)))
    shapes = tuple(shape_of(tool) for tool in tools)
    known = {shape.name: shape.schema for shape in shapes} | {FINAL: _answer_schema()}
    schema = step_schema(Menu("free", {}, shapes, True))
    room = settings.executor_window - reply_room(settings.executor_window)
    by_name = {tool.name: tool for tool in tools}
    history: list[BaseMessage] = []
    result, seen, happened = ArmResult(), set[str](), 0
    for number in range(settings.max_steps):
        prompt = fitting([system, HumanMessage(goal)], history, room, executor.count)
        reply = ask_json(executor, prompt, schema, max_tokens=reply_room(settings.executor_window))
        _count(result, reply, prompt, executor.count)
        result.unseen.append(happened - prompt_tokens(prompt[2:], executor.count))
        step = parse_step(reply.text, known, tool_calls=reply.tool_calls, request=goal)
        if isinstance(step, Step) and step.action == FINAL:
            result.answer = str(step.input.get("answer", ""))
            return result
        if isinstance(step, Problem):
            said, back = reply.text or "{}", f"This reply could not be used: {step.text}"
        else:
            said = json.dumps({"thought": step.thought, "action": step.action, "input": step.input}, ensure_ascii=False)
            result.repeats += call_key(step.action, step.input) in seen
            seen.add(call_key(step.action, step.input))
            result.tool_calls += 1
            back = f"Result of {call_text(step.action, step.input)}:\n{_call(by_name[step.action], step, number)}"
        happened += prompt_tokens([AIMessage(said), HumanMessage(back)], executor.count)
        history += [AIMessage(said), HumanMessage(clip(back, room // _RESULT_SHARE, executor.count))]
    result.stop_reason = "step_limit"
    return result


def fitting(
    fixed: Sequence[BaseMessage], history: Sequence[BaseMessage], room: int, count: TokenCounter
) -> list[BaseMessage]:
    """The fixed messages and as many of the newest steps (each with its result) as fit ``room`` tokens."""
    kept = list(history)
    while kept and prompt_tokens([*fixed, *kept], count) > room:
        kept = kept[2:]
    return [*fixed, *kept]


def _answer_schema() -> dict[str, Any]:
    return {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}


def _call(tool: BaseTool, step: Step, number: int) -> str:
    call = {"name": step.action, "args": step.input, "id": f"call_{number}", "type": "tool_call"}
    return observed(tool.invoke(call))


def _count(result: ArmResult, reply: Reply, prompt: Sequence[BaseMessage], count: TokenCounter) -> None:
    sent = reply.prompt_tokens if reply.prompt_tokens is not None else prompt_tokens(prompt, count)
    result.steps += 1
    result.prompt_tokens += sent
    result.read_tokens += sent - (reply.cached_tokens or 0)
    result.largest_prompt = max(result.largest_prompt, sent)
    result.prompts.append(sent)
