"""What everybody does first: keep the newest messages in the prompt, and at best a rolling summary of the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool

from memory_secretary.graph.evaluation.result import ArmResult, Turn
from memory_secretary.graph.settings import Settings
from memory_secretary.memory.tokens import TokenCounter, clip
from memory_secretary.nodes.calls import call_key, call_text
from memory_secretary.nodes.candidates import shape_of
from memory_secretary.nodes.menu import FINAL, Menu, step_schema
from memory_secretary.nodes.models.border import Problem, Step, parse_step
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.structured import Reply, ask_json, ask_text
from memory_secretary.nodes.observation import observed
from memory_secretary.nodes.prompt import prompt_tokens, reply_room
from memory_secretary.tools.registry import signature

_SYSTEM = """You carry out a task with tools, one step at a time.
Reply with one JSON object only: a short thought, then the action with its input.

Tools:
{tools}
- final_answer(answer: str) – End the task and answer the user, in the user's language."""
_SUMMARIZE = """Rewrite the summary of a conversation between a user and an assistant with tools so that it also
covers the new messages. Keep the user's wishes, what was done, and every name, number and date that may be needed
later. Write at most {words} words, in the user's language, nothing else.

Summary so far:
{summary}

New messages:
{messages}"""
WINDOW_FULL = "window_full"
"""The stop reason of a run whose whole history did not fit any more."""
_RESULT_SHARE = 2
"""One result may take half of the prompt's room at most."""
_SUMMARY_SHARE = 5
"""The summary may take a fifth of the window, and a summary is written when the messages do not fit any more: of
the older half of them, so that it is not written anew at every step."""


class Conversation:
    """The messages of one conversation and what of them is in the prompt.

    The system text and the turn that is being answered always stay; the oldest messages go first.
    """

    def __init__(self, system: str, room: int, count: TokenCounter) -> None:
        self.summary = ""
        self._system = system
        self._room = room
        self._count = count
        self._earlier: list[BaseMessage] = []
        self._turn: list[BaseMessage] = []

    def ask(self, text: str) -> None:
        """The user's next message."""
        self._earlier += self._turn
        self._turn = [HumanMessage(text)]

    def step(self, said: str, back: str) -> None:
        """One step of the assistant and what came back."""
        self._turn += [AIMessage(said), HumanMessage(clip(back, self._room // _RESULT_SHARE, self._count))]

    def answer(self, text: str) -> None:
        """The assistant's answer to the turn."""
        self._turn.append(AIMessage(text))

    def prompt(self) -> list[BaseMessage]:
        """What the model is shown; call :meth:`shrink` first."""
        summary = f"\n\nSummary of what is no longer shown:\n{self.summary}" if self.summary else ""
        return [SystemMessage(self._system + summary), *self._earlier, *self._turn]

    def fits(self) -> bool:
        """Whether the prompt leaves room for the reply."""
        return prompt_tokens(self.prompt(), self._count) <= self._room

    def take_oldest(self) -> list[BaseMessage]:
        """Take the oldest exchange out of the prompt; nothing when only the turn's request is left."""
        if self._earlier:
            taken, self._earlier = self._earlier[:2], self._earlier[2:]
            return taken
        taken, self._turn[1:] = self._turn[1:3], self._turn[3:]
        return taken

    def exchanges(self) -> int:
        """How many exchanges could be taken out."""
        return len(self._earlier) // 2 + (len(self._turn) - 1) // 2


class WindowFull(Exception):
    """The whole history does not fit any more."""


def keep_all(conversation: Conversation) -> None:
    """Let nothing go.

    Raises:
        WindowFull: the prompt does not fit.
    """
    if not conversation.fits():
        raise WindowFull


def slide(conversation: Conversation) -> None:
    """Let the oldest exchanges go until the prompt fits."""
    while not conversation.fits() and conversation.take_oldest():
        pass


class RollingSummary:
    """Writes what leaves the prompt into a summary, with the executor's own model."""

    def __init__(self, executor: ModelHandle, settings: Settings, result: ArmResult) -> None:
        self._executor = executor
        self._room = settings.executor_window // _SUMMARY_SHARE
        self._window = settings.secretary_window
        self._result = result

    def __call__(self, conversation: Conversation) -> None:
        """Summarize the older half of the exchanges when the prompt is full."""
        if conversation.fits():
            return
        half = max(conversation.exchanges() // 2, 1)
        taken = [message for _ in range(half) for message in conversation.take_oldest()]
        if taken:
            conversation.summary = self._written(conversation.summary, taken)
        slide(conversation)

    def _written(self, summary: str, messages: Sequence[BaseMessage]) -> str:
        shown = "\n".join(f"{message.type}: {message.text}" for message in messages)
        count = self._executor.count
        shown = clip(shown, self._window - 2 * self._room - 200, count)
        prompt = [HumanMessage(_SUMMARIZE.format(words=self._room // 2, summary=summary or "–", messages=shown))]
        reply = ask_text(self._executor, prompt, max_tokens=self._room)
        written = _written_tokens(reply, count)
        self._result.took("summarize", reply.seconds)
        self._result.secretary_calls += 1
        self._result.secretary_tokens += _sent(reply, prompt, count) + written
        self._result.secretary_reply_tokens += written
        return clip(reply.text.strip(), self._room, count) or summary


def conversed(
    turns: Sequence[Turn],
    *,
    executor: ModelHandle,
    tools: Sequence[BaseTool],
    settings: Settings,
    summarize: bool = False,
    whole: bool = False,
) -> ArmResult:
    """Answer the turns in one conversation; for the judge's sake sessions that were apart are one here.

    Args:
        turns: thread and words of each; all are in one conversation, which favours this arm.
        executor: the model.
        tools: what it may call.
        settings: window, and the step limit of each turn.
        summarize: keep a rolling summary of what leaves the prompt, with :attr:`Settings.secretary_window` for it.
        whole: let nothing leave the prompt; the run ends where it does not fit any more.
    """
    system = _SYSTEM.format(tools="\n".join(f"- {signature(tool)}" for tool in tools))
    room = settings.executor_window - reply_room(settings.executor_window)
    conversation, result = Conversation(system, room, executor.count), ArmResult()
    shrink = RollingSummary(executor, settings, result) if summarize else keep_all if whole else slide
    worker = _Worker(executor, tools, settings, conversation, shrink, result)
    for _, text in turns:
        worker.turn(text)
    return result


def sliding_window(
    turns: Sequence[Turn], *, executor: ModelHandle, tools: Sequence[BaseTool], settings: Settings
) -> ArmResult:
    """:func:`conversed` with nothing but the newest messages."""
    return conversed(turns, executor=executor, tools=tools, settings=settings)


class _Worker:
    def __init__(
        self,
        executor: ModelHandle,
        tools: Sequence[BaseTool],
        settings: Settings,
        conversation: Conversation,
        shrink: Callable[[Conversation], None],
        result: ArmResult,
    ) -> None:
        shapes = tuple(shape_of(tool) for tool in tools)
        self._executor = executor
        self._tools = {tool.name: tool for tool in tools}
        self._known = {shape.name: shape.schema for shape in shapes} | {FINAL: _answer_schema()}
        self._schema = step_schema(Menu("free", {}, shapes, True))
        self._settings = settings
        self._conversation = conversation
        self._shrink = shrink
        self._result = result
        self._seen: set[str] = set()
        self._happened = 0

    def turn(self, text: str) -> None:
        """Answer one message of the user, within the limit of steps."""
        self._conversation.ask(text)
        self._result.answer, self._result.stop_reason = "", ""
        try:
            self._result.answer = self._answer(text) or ""
        except WindowFull:
            self._result.stop_reason = WINDOW_FULL
        self._conversation.answer(self._result.answer or "(no answer)")

    def _answer(self, text: str) -> str | None:
        for _ in range(self._settings.max_steps):
            answer = self._step(text)
            if answer is not None:
                return answer
        self._result.stop_reason = "step_limit"
        return None

    def _step(self, request: str) -> str | None:
        """One step; the answer when the step gives it."""
        self._shrink(self._conversation)
        prompt = self._conversation.prompt()
        reply = ask_json(self._executor, prompt, self._schema, max_tokens=reply_room(self._settings.executor_window))
        self._count(reply, prompt)
        step = parse_step(reply.text, self._known, tool_calls=reply.tool_calls, request=request)
        if isinstance(step, Step) and step.action == FINAL:
            return str(step.input.get("answer", ""))
        said, back = (reply.text or "{}", _unusable(step)) if isinstance(step, Problem) else self._done(step)
        self._happened += prompt_tokens([AIMessage(said), HumanMessage(back)], self._executor.count)
        self._conversation.step(said, back)
        return None

    def _done(self, step: Step) -> tuple[str, str]:
        """The call as the model made it, and its result."""
        said = json.dumps({"thought": step.thought, "action": step.action, "input": step.input}, ensure_ascii=False)
        key = call_key(step.action, step.input)
        self._result.repeats += key in self._seen
        self._seen.add(key)
        self._result.tool_calls += 1
        call = {"name": step.action, "args": step.input, "id": f"call_{self._result.steps}", "type": "tool_call"}
        return said, f"Result of {call_text(step.action, step.input)}:\n{_result(self._tools[step.action], call)}"

    def _count(self, reply: Reply, prompt: Sequence[BaseMessage]) -> None:
        result, count = self._result, self._executor.count
        sent = _sent(reply, prompt, count)
        result.took("plan", reply.seconds)
        result.steps += 1
        result.prompt_tokens += sent
        result.read_tokens += sent - (reply.cached_tokens or 0)
        result.reply_tokens += _written_tokens(reply, count)
        result.largest_prompt = max(result.largest_prompt, sent)
        result.prompts.append(sent)
        result.unseen.append(max(self._happened - prompt_tokens(prompt[2:], count), 0))


def _unusable(problem: Problem) -> str:
    return f"This reply could not be used: {problem.text}"


def _result(tool: BaseTool, call: dict[str, Any]) -> str:
    """What the tool gives, or its error in words, as an agent loop hands it on."""
    try:
        return observed(tool.invoke(call))
    except Exception as error:  # noqa: BLE001  # a user's tool may fail in any way
        return f"Error: {error}"


def _sent(reply: Reply, prompt: Sequence[BaseMessage], count: TokenCounter) -> int:
    return reply.prompt_tokens if reply.prompt_tokens is not None else prompt_tokens(prompt, count)


def _written_tokens(reply: Reply, count: TokenCounter) -> int:
    return reply.completion_tokens if reply.completion_tokens is not None else count(reply.text)


def _answer_schema() -> dict[str, Any]:
    return {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
