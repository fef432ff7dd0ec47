"""The ``plan`` node: the executor sees the brief and the menu, and decides one step."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_secretary.memory.bilingual import said, speaking
from memory_secretary.memory.masking import mask
from memory_secretary.memory.records import ASK, READ_RECORD, RECORD_TOOLS
from memory_secretary.memory.task_state import TaskState, whole_goal
from memory_secretary.memory.tokens import clip
from memory_secretary.nodes.answer_form import (
    Limit,
    answer_room,
    bare_amounts,
    echoes,
    limits_for,
    no_currency,
    said_again,
    said_once,
    to_you,
)
from memory_secretary.nodes.brakes import Brakes, no_brakes
from memory_secretary.nodes.calls import call_key
from memory_secretary.nodes.candidates import ToolShape
from memory_secretary.nodes.carry import AT_ONCE, next_sibling
from memory_secretary.nodes.computed_answer import computed_answer
from memory_secretary.nodes.duties import about
from memory_secretary.nodes.figures_told import Asked, asked_figure, tells_figure
from memory_secretary.nodes.grounding import ungrounded
from memory_secretary.nodes.menu import FINAL, OTHER, Menu, make_menu, shown_thought, step_schema
from memory_secretary.nodes.models.border import Problem, parse_steps
from memory_secretary.nodes.models.dialect import shaped
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.probe import known_dialect
from memory_secretary.nodes.models.structured import Reply, as_sent, ask_json
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.of_oneself import asks_of_oneself, tells_of_oneself
from memory_secretary.nodes.options import Options
from memory_secretary.nodes.prompt import (
    instruction,
    messages,
    prompt_tokens,
    reply_room,
    window_too_small,
)
from memory_secretary.nodes.reminders import escaped, near_limit, notices, unseen_files
from memory_secretary.nodes.retrieve import answered_by_own_words, looks_back, shown_in_part
from memory_secretary.nodes.run import RunSource, Timer, timed
from memory_secretary.nodes.shortening import SCHEMA, shortened
from memory_secretary.nodes.speech import Sound, Speech, continued
from memory_secretary.nodes.spending import Removed
from memory_secretary.nodes.state import Figures, RecalledMemory, State, Step, is_kept, quoted, spent_so_far
from memory_secretary.nodes.states import misnamed, unnamed
from memory_secretary.nodes.tracing import named
from memory_secretary.nodes.wording import Wording

_TRIES = 3
"""Replies that are asked for in one step before the step counts as unusable."""
_NODES_PER_STEP = 4
_LAST_NODES = 2
"""Supersteps that the last step still needs of the caller's recursion limit: the answer's, and the end itself."""
_PROBLEM_TOKENS = 60
_REF = re.compile(r"\bevt_\w")
"""A reference by which ``read_record`` could open something."""
_SAID = 160
"""Characters of an answer's beginning that are quoted when the executor is to go on with it."""


@dataclass
class _Asked:
    """One step while it is being decided."""

    task: TaskState
    options: Options
    words: Wording
    system: str
    brief: str
    brakes: Brakes
    config: RunnableConfig
    speech: Speech
    replies: list[Reply] = field(default_factory=list)
    also: list[Step] = field(default_factory=list)
    prompt: int = 0
    problem: str = ""
    refused: list[Removed] = field(default_factory=list)
    """Answers that were asked for again, each with the reason."""
    recalled: Sequence[RecalledMemory] = ()
    first: bool = False
    """Nothing was done for this request yet."""
    before: str = ""
    """The answer to the thread's last request."""
    begins: bool = False
    """Nor was anything answered in this thread, so that the request says all there is to say."""

    def whole(self, tools: Sequence[ToolShape]) -> bool:
        """Whether another search of the memory would only find once more what stands in the brief, unshortened.

        In a thread that goes on it may find more, but then the user's own tools are the ones to begin with.
        """
        own = any(tool.name not in RECORD_TOOLS for tool in tools)
        return self.options.recall and self.first and (self.begins or own) and not shown_in_part(self.recalled)

    @cached_property
    def limits(self) -> list[Limit]:
        """How long the answer may be; only a step that the executor decides asks for it."""
        return limits_for(self.task, self.recalled) if self.options.shortening else []

    @property
    def retold(self) -> bool:
        """Whether what is recalled repeats what tools said for earlier requests: the records themselves come first."""
        repeats = any(memory.get("drawn") for memory in self.recalled)
        return self.first and repeats and not self.answered and not looks_back(whole_goal(self.task))

    @property
    def follows_up(self) -> bool:
        """Whether the question before was answered and something of it is asked anew."""
        return bool(self.before and self.task["amendments"])

    @cached_property
    def answered(self) -> bool:
        """Whether the user asks about themselves what their own recalled words answer."""
        return self.options.menu and self.first and answered_by_own_words(whole_goal(self.task), self.recalled)

    @cached_property
    def figure(self) -> Asked | None:
        """The one figure that the goal asks for; an answer is held against it as it is written."""
        return asked_figure(self.task)

    @property
    def bare(self) -> bool:
        """Whether amounts are to stand without signs of currency."""
        return self.options.shortening and no_currency([whole_goal(self.task), *self.task["constraints"]])


class Plan:
    """Asks the executor for one step under the schema of its menu.

    Args:
        run: settles options and scope.
        executor: the executor's model.
        shapes: the tools that it may call.
        system: the fixed part of the prompt, given the language of the run and whether it offers ``ask``.
        new_id: gives call ids.
        timer: the clock that the node is timed with.
    """

    def __init__(
        self,
        run: RunSource,
        *,
        executor: ModelHandle,
        shapes: Sequence[ToolShape],
        system: Callable[[str, bool], str],
        new_id: Callable[[], str],
        timer: Timer,
    ):
        self._run = run
        self._executor = executor
        self._shapes = list(shapes)
        self._system = system
        self._new_id = new_id
        self._timer = timer

    def __call__(self, state: State, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        """Decide one step; the update holds it, or the problem that no usable reply came."""
        started = self._timer()
        run = self._run(runtime, config)
        task = state["task_state"]
        lang, words = run.lang(task["goal"]), run.words(task["goal"])
        left = steps_left(state, run.options)
        brakes = near_limit(state.get("brakes") or no_brakes(), left)
        reminded = notices(task, brakes, left, words, tools=[shape.name for shape in self._shapes])
        brief = "\n".join([state.get("brief", ""), *(f"- {text}" for text in reminded)])
        with speaking(lang), Speech(config, run.write, step=state.get("step", 0), new_id=self._new_id) as speech:
            asked = _Asked(
                task, run.options, words, self._system(lang, run.options.asking), brief, brakes,
                named(config, "executor"), speech,
            )  # fmt: skip
            asked.recalled, asked.first = state.get("recalled") or [], not task["items"]
            asked.before = _last_answer(state)
            asked.begins = asked.first and not asked.before
            decided = _queued(state, asked) or self._carried(state, asked) or self._unseen(asked)
            step = decided or self._decide(asked)
            if step["action"] == FINAL:
                speech.finish(step["arguments"]["answer"])
        run.trace(reminders=reminded, removed=asked.refused)
        seconds = self._timer() - started
        run.write(_chunk(state, asked, step, seconds))
        return {"next": step, "also": asked.also, "brakes": asked.brakes, "figures": _spent(state, asked, seconds)}

    def _carried(self, state: State, asked: _Asked) -> Step | None:
        """The next of the records that the executor has begun to read, if nothing speaks against going on."""
        last = state.get("next")
        if not asked.options.carry or not asked.options.menu or not last or state.get("reminders"):
            return None
        if asked.brakes["last"] or asked.brakes["off"] or last["carried"] >= AT_ONCE:
            return None
        item = next_sibling(asked.task, last["item"], self._shapes)
        if item is None:
            return None
        step = self._step(last["thought"], item["action"] or "", item["arguments"], item["id"])
        return Step(**{**step, "carried": last["carried"] + 1})

    def _unseen(self, asked: _Asked) -> Step | None:
        """The plain answer to a request about files that nobody here can see."""
        tools = [shape.name for shape in self._shapes]
        known = list(map(quoted, asked.recalled))
        files = unseen_files(whole_goal(asked.task), tools, known) if asked.first and asked.options.gate else []
        return self._final(asked, "", asked.words.unseen.format(names=", ".join(files))) if files else None

    def _decide(self, asked: _Asked) -> Step:
        for _ in range(_TRIES):
            menu = self._menu(asked)
            if menu.noted:  # nothing is left to decide
                return self._final(asked, "", asked.words.noted)
            reply = self._ask(asked, menu)
            step = self._understood(asked, menu, reply)
            if step is not None:
                return step
        if asked.speech.said:
            return self._final(asked, "", asked.speech.said)
        problem = asked.problem or said("nothing was chosen", "什么也没有选")
        return Step(thought="", action="", arguments={}, call_id="", item="", problem=problem, carried=0)

    def _menu(self, asked: _Asked) -> Menu:
        """What may be done now; an answer of which the user has read the beginning is gone on with."""
        if asked.speech.said:
            return Menu("answer", {}, (), True)
        shapes = offered(self._shapes, asked.options)
        hidden: Sequence[str] = RECORD_TOOLS if asked.whole(shapes) or asked.retold else []
        if not _REF.search(asked.brief):  # a small model makes one up
            hidden = [*hidden, READ_RECORD]
        shapes = [shape for shape in shapes if shape.name not in hidden or not asked.options.menu]
        known = "\n".join(map(quoted, asked.recalled))
        return make_menu(
            asked.task, shapes, asked.brakes, menu=asked.options.menu, gate=asked.options.gate, known=known,
            answered=asked.answered, retold=asked.retold,
        )  # fmt: skip

    def _ask(self, asked: _Asked, menu: Menu) -> Reply:
        """One call of the model; the prompt is measured before it is sent and never exceeds its window."""
        window, count = asked.options.executor_window, self._executor.count
        room, schema = window - reply_room(window), step_schema(menu, answer_room(asked.limits))
        ask = _go_on(asked) if asked.speech.said else instruction(menu, asked.words)
        if asked.problem:
            ask = f"{asked.words.invalid.format(problem=clip(asked.problem, _PROBLEM_TOKENS, count))}\n{ask}"
        prompt = self._measured(asked, asked.brief, ask, schema)
        if asked.prompt > room:
            left = max(0, count(asked.brief) - (asked.prompt - room) - 8)
            prompt = self._measured(asked, clip(asked.brief, left, count), ask, schema)
        if asked.prompt > room:
            raise window_too_small(asked.prompt, asked.prompt - prompt_tokens(prompt, count), window)
        streamed = menu.final and not asked.speech.said and not asked.answered
        hear = asked.speech.listener(self._sound(asked)) if streamed else None
        reply = ask_json(self._executor, prompt, schema, max_tokens=window - room, config=asked.config, on_text=hear)
        asked.replies.append(reply)
        return reply

    def _measured(self, asked: _Asked, brief: str, ask: str, schema: dict[str, Any]) -> list[BaseMessage]:
        """The prompt; its size as it is sent, with the schema where that goes in words, is left in ``asked``."""
        prompt = messages(asked.system, brief, ask)
        sent = as_sent(self._executor, prompt, schema, config=asked.config)
        asked.prompt = prompt_tokens(sent, self._executor.count)
        return prompt

    def _understood(self, asked: _Asked, menu: Menu, reply: Reply) -> Step | None:
        """The reply as a step; None when the model is to be asked again, with the reason in ``asked``."""
        chosen = _choice_in(reply.data) if menu.kind == "items" else None
        if chosen is not None:
            return self._chosen(asked, menu, chosen)
        allowed = () if asked.speech.said else self._allowed(menu, asked.options)
        known = {shape.name: shape.schema for shape in allowed}
        if menu.kind == "finish":
            known[OTHER] = {"type": "object", "properties": {}, "required": []}
        if menu.final:
            known[FINAL] = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
        steps = parse_steps(reply.text, known, tool_calls=reply.tool_calls, request=asked.task["goal"])
        if isinstance(steps, Problem):
            asked.problem = steps.text
            return None
        found, *others = steps
        if found.action == OTHER:
            asked.brakes, asked.problem = escaped(asked.brakes), ""
            return None
        if found.action == FINAL:
            return self._answer(asked, found.thought, str(found.input.get("answer", "")))
        more = (each for each in others[:AT_ONCE] if each.action not in (FINAL, OTHER))
        asked.also = [self._step(each.thought, each.action, each.input, "") for each in more]
        return self._step(found.thought, found.action, found.input, _matching(menu, found.action, found.input))

    def _allowed(self, menu: Menu, options: Options) -> Sequence[ToolShape]:
        """A model that is not held to the schema may answer a choice with a whole call: any tool is understood then.

        One that looks something up to answer a greeting wastes a step and does no harm.
        """
        shapes = offered(self._shapes, options)
        if menu.kind == "reply":
            return [shape for shape in shapes if shape.read_only]
        return shapes if menu.kind in ("items", "finish") else (*menu.tools, *menu.withheld)

    def _chosen(self, asked: _Asked, menu: Menu, data: dict[str, Any]) -> Step | None:
        choice = str(data["choice"])
        if choice in menu.choices:
            item = menu.choices[choice]
            words = {name: data.get(name) for name in menu.prose.get(choice, ())}
            missing = [name for name, value in words.items() if value in (None, "")]
            if not missing:
                arguments = about(item, words)
                return self._step(str(data.get("thought", "")), item["action"] or "", arguments, item["id"])
            names = ", ".join(missing)
            asked.problem = said(f"{choice} needs {names} as well", f"{choice} 还需要 {names}")
            return None
        if choice == OTHER:
            asked.brakes = escaped(asked.brakes)
            asked.problem = ""
        else:
            choices = ", ".join(menu.choices)
            asked.problem = said(f"{choice!r} is none of {choices}", f"{choice!r} 不在 {choices} 之中")
        return None

    def _answer(self, asked: _Asked, thought: str, answer: str) -> Step | None:
        """The final answer, unless it has to be asked for again."""
        if not answer.strip():
            asked.problem = said("the answer is empty", "回答是空的")
            return None
        answer = said_once(continued(asked.speech.said, answer))
        fault = _fault(asked, answer)
        computed = any(asked.task["states"].values()) or not tells_figure(asked.figure, answer)
        hopeless = _is_echo(asked, answer) or computed
        if fault and len(asked.replies) >= _TRIES and not asked.speech.said and hopeless:
            return self._final(asked, thought, computed_answer(asked.task, asked.words) or asked.words.no_answer)
        if fault and len(asked.replies) < _TRIES:
            asked.problem = fault
            asked.refused.append(Removed(what="answer", text=answer, source=fault))
            return None
        goal = whole_goal(asked.task)
        of_them = asked.answered or asks_of_oneself(goal) or tells_of_oneself(goal)
        answer = self._shortened(asked, to_you(answer) if of_them else answer)
        return self._final(asked, thought, bare_amounts(answer) if asked.bare and not asked.speech.said else answer)

    def _shortened(self, asked: _Asked, answer: str) -> str:
        """The answer as short as the user wants it; what they have read of it already stays."""
        window = asked.options.executor_window

        def ask(request: str) -> dict[str, Any] | None:
            prompt = [HumanMessage(clip(request, window - reply_room(window), self._executor.count))]
            reply = ask_json(self._executor, prompt, SCHEMA, max_tokens=reply_room(window), config=asked.config)
            asked.replies.append(reply)
            return reply.data

        return (
            answer
            if asked.speech.said
            else shortened(answer, asked.limits, asked.words, ask, question=whole_goal(asked.task))
        )

    def _sound(self, asked: _Asked) -> Sound | None:
        """What an answer's beginning must hold for before the user is given it; None when nothing would hold it up."""
        noted = asked.task["values"] or asked.task["states"]
        unchecked = not asked.options.grounding and not (asked.options.gate and noted)
        formed = bool(asked.limits) or asked.bare
        if unchecked and not formed and not asked.follows_up:
            return None
        if len(asked.replies) + 1 == _TRIES:  # what now comes is the answer, unless it turns out to be the prompt again
            return lambda _beginning: False
        once_more = asked.before if asked.follows_up else ""
        # how long it is, and whether it is another answer, the end tells
        return lambda beginning: (
            not (formed or once_more.startswith(beginning) or said_again(beginning) or _fault(asked, beginning))
        )

    def _final(self, asked: _Asked, thought: str, answer: str) -> Step:
        """The answer's step; its call id is that of the message that the user gets."""
        return self._step(thought, FINAL, {"answer": answer}, "", call_id=asked.speech.message_id)

    def _step(self, thought: str, action: str, arguments: dict[str, Any], item: str, *, call_id: str = "") -> Step:
        return Step(
            thought=mask(thought),
            action=action,
            arguments=dict(arguments),
            call_id=call_id or f"call_{self._new_id()}",
            item=item,
            problem="",
            carried=0,
        )


def _last_answer(state: State) -> str:
    """The answer to the thread's last request; empty before the first."""
    answers = [str(message.text) for message in state.get("messages") or [] if message.type == "ai"]
    return answers[-1] if answers else ""


def _queued(state: State, asked: _Asked) -> Step | None:
    """The next call of a reply that made several; each is checked before it runs like any other."""
    waiting = state.get("also") or []
    if not waiting or asked.brakes["last"]:
        return None
    asked.also = waiting[1:]
    return waiting[0]


def _choice_in(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """The object that holds the choice, bare or within ``step``; None where there is none."""
    inner = data.get("step", data) if data else None
    return inner if isinstance(inner, dict) and "choice" in inner else None


def steps_left(state: State, options: Options) -> int:
    """Steps that this run may still take, this one included, by its own limit and by the caller's recursion limit."""
    own = options.max_steps - state.get("step", 0)
    callers = (state.get("remaining_steps", 10_000) - _LAST_NODES) // _NODES_PER_STEP + 1
    return min(own, callers)


def offered(shapes: Sequence[ToolShape], options: Options) -> list[ToolShape]:
    """The tools that a run may use: ``ask`` only where it is switched on."""
    return [shape for shape in shapes if options.asking or shape.name != ASK]


def schema_tokens(executor: ModelHandle, menu: Menu) -> int:
    """Tokens of a menu's schema where it is known that the server has to be told it in words, else 0."""
    dialect = known_dialect(executor)
    if dialect is None:
        return 0
    empty, schema = messages("", "", ""), step_schema(menu)
    told, bare = shaped(empty, dialect, schema), shaped(empty, dialect)
    return prompt_tokens(told, executor.count) - prompt_tokens(bare, executor.count)


def _fault(asked: _Asked, answer: str) -> str:
    """Why an answer is to be asked for again: it names numbers that stand nowhere, or leaves out what is noted."""
    if _is_echo(asked, answer):
        return asked.words.echoed
    if asked.follows_up and answer.strip() == asked.before.strip():
        return asked.words.answered_before
    values = asked.task["values"]
    sources = [asked.brief, *(value["value"] for value in values)]
    missing = ungrounded(answer, sources) if asked.options.grounding else []
    if missing:
        return asked.words.ungrounded.format(missing=", ".join(missing[:4]))
    if not asked.options.gate:
        return ""
    if left_out := unnamed(asked.task, answer):
        return asked.words.unnamed.format(names=", ".join(left_out))
    if others := misnamed(asked.task, answer):
        return asked.words.misnamed.format(names=", ".join(others))
    if values and not numbers_in(answer):
        return asked.words.no_value
    told = tells_figure(asked.figure, answer)
    return "" if told else asked.words.no_figure.format(line=computed_answer(asked.task, asked.words))


def _is_echo(asked: _Asked, answer: str) -> bool:
    """Whether an answer is only what the prompt says: small models copy its last sentences where they are at a loss."""
    if tells_of_oneself(whole_goal(asked.task)):
        return False  # who says it back has understood it
    words = asked.words
    told = (words.next_open, words.next_free, words.next_answer, words.last_step, words.invalid, words.unnamed,
            words.misnamed, words.no_value, words.no_figure, words.ungrounded, words.echoed, words.rivals)  # fmt: skip
    kept = [quoted(memory) for memory in asked.recalled if is_kept(memory) and not asked.answered]
    return echoes(answer, whole_goal(asked.task), [*told, *kept])


def _go_on(asked: _Asked) -> str:
    """The request to go on with an answer, the end of what was said quoted."""
    return asked.words.go_on.format(said=asked.speech.said[-_SAID:].strip())


def _matching(menu: Menu, action: str, arguments: dict[str, Any]) -> str:
    key = call_key(action, arguments)
    for item in menu.choices.values():
        if item["action"] and call_key(item["action"], item["arguments"]) == key:
            return item["id"]
    return ""


def _spent(state: State, asked: _Asked, seconds: float) -> Figures:
    figures = spent_so_far(state)
    sent = [_sent(asked, reply) for reply in asked.replies]
    cached = [reply.cached_tokens or 0 for reply in asked.replies]
    return Figures(
        **{
            **figures,
            "steps": figures["steps"] + 1,
            "prompt_tokens": figures["prompt_tokens"] + sum(sent),
            "read_tokens": figures["read_tokens"] + sum(sent) - sum(cached),
            "reply_tokens": figures["reply_tokens"] + sum(reply.completion_tokens or 0 for reply in asked.replies),
            "largest_prompt": max([figures["largest_prompt"], *sent]),
            "seconds": timed(figures["seconds"], "plan", seconds),
        }
    )


def _sent(asked: _Asked, reply: Reply) -> int:
    """Tokens of the prompt that a reply answers, as the server counted them, else as we do."""
    return asked.prompt if reply.prompt_tokens is None else reply.prompt_tokens


def _chunk(state: State, asked: _Asked, step: Step, seconds: float) -> dict[str, Any]:
    largest = max(asked.replies, key=partial(_sent, asked), default=None)
    return {
        "node": "plan",
        "step": state.get("step", 0),
        "seconds": round(seconds, 3),
        "prompt_tokens": _sent(asked, largest) if largest else 0,
        "cached_tokens": (largest.cached_tokens or 0) if largest else 0,
        "window": asked.options.executor_window,
        "replies": len(asked.replies),
        "thought": "" if step["carried"] else shown_thought(step["thought"]),
        "action": step["action"],
        "arguments": step["arguments"],
        "problem": step["problem"],
    }
