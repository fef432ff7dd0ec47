"""What the executor may do in one step, as a JSON schema: the open items, or the free menu, or only the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.masking import mask
from memory_secretary.memory.records import RECORD_TOOLS
from memory_secretary.memory.task_state import ONCE, Item, TaskState, closed_items, whole_goal
from memory_secretary.nodes.act_words import asks_for
from memory_secretary.nodes.brakes import Brakes
from memory_secretary.nodes.brief import OPEN_SHOWN
from memory_secretary.nodes.call_arguments import open_parameters
from memory_secretary.nodes.candidates import ToolShape, words_of
from memory_secretary.nodes.constraints import asks_to_remember
from memory_secretary.nodes.fields import only_asks
from memory_secretary.nodes.forbidden import FORBIDS, forbidden_tools
from memory_secretary.nodes.nearness import nearest_open
from memory_secretary.nodes.of_oneself import states_a_wish, tells_of_oneself
from memory_secretary.nodes.reachable import only_finds, reachable
from memory_secretary.nodes.smalltalk import asks_what_one_can, is_small_talk

FINAL = "final_answer"
OTHER = "something_else"
_THOUGHT, _CHOICE_THOUGHT = 160, 80
"""Characters of a thought; room to think one sentence, no more, since every token is waited for."""
_COMMAND = re.compile(
    r"(?:^|[.!?;:,]\s+|\b(?:and|then|please) )(?:and |then |also |please )*\w+"
    r"|(?:请你?|帮我|麻烦|然后|接着|并且?|再)(?:先|把|将|去)?[^，。；：]{0,8}",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a command can stand: a word that begins a clause, or what follows 请 and its like."""
_LOOKS_UP = re.compile(
    r"\b(?:read|open|list|find|look|check|search|show|tell|give|count|add|sum|compute|calculate|compare|go|write|send)\b"
    r"|[读查看找列搜算]|打开|统计|比较|告诉|写|发给",
    re.IGNORECASE,
)
_CLOCK = frozenset({"clock", "time", "now", "today", "date"})
_OF_NOW = re.compile(
    r"\b(?:now|today|tonight|tomorrow|yesterday|current(?:ly)?|time is it|what (?:time|day|date)|"
    r"this (?:\w+ )?(?:week|month|year|morning|day)|next|last|ago|until|till|left|"
    r"still|yet|already|late|overdue|due|expire[sd]?|since|old)\b"
    r"|现在|今[天日年晚]|明[天日年]|昨天|本[周月年]|这个?[周月]|[上下]个?[周月]|几点|星期|周几|日期|几号|还[有剩]|已经|逾期|过期|到期|多久",
    re.IGNORECASE,
)
"""The present matters; a 1.5B that was asked when a contract ends answered with the clock's day."""
_ESCAPES_BEFORE_ANSWER = 2
"""After so many free menus in a row a wrong checklist no longer withholds the answer."""


@dataclass(frozen=True, slots=True)
class Menu:
    """The effective action set of one step.

    ``choices`` maps labels to open items whose exact calls are offered (``items``). With every item done the answer or
    something else is offered (``finish``). A greeting is only answered (``reply``). Else the step is free among
    ``tools`` and, with ``final``, the answer.
    """

    kind: Literal["items", "finish", "free", "answer", "reply"]
    choices: Mapping[str, Item]
    tools: tuple[ToolShape, ...]
    final: bool
    prose: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the executor has to word for some of the choices: label → argument → its schema."""
    noted: bool = False
    """The message only asks to remember something, which is noted by then as it is: there is nothing to decide."""
    withheld: tuple[ToolShape, ...] = ()
    """Tools that would have no effect yet; a model that is not held to the schema may call one all the same."""
    abilities: bool = False
    """The message asks what one can do here: the ``reply`` tells by the tools."""


def all_of(tools: Sequence[ToolShape]) -> Menu:
    """The widest menu: every tool, and the answer."""
    return Menu("free", {}, tuple(tools), True)


def make_menu(
    state: TaskState,
    tools: Sequence[ToolShape],
    brakes: Brakes,
    *,
    menu: bool = True,
    gate: bool = True,
    known: str = "",
    answered: bool = False,
    retold: bool = False,
) -> Menu:
    """The effective action set for a task state (design, section 6.3).

    Args:
        state: the task; its open items with exact calls are offered first.
        tools: every tool of the run.
        brakes: what earlier steps have earned.
        menu: offer the open items as the menu.
        gate: withhold the answer while items are open.
        known: what was recalled, in which keys of records may stand.
        answered: what was recalled speaks of what the user asks about themselves, so that nothing is to be looked up.
        retold: what was recalled is what tools said for earlier requests. It may be out of date, or a part of it, so a
            question is answered once one of the user's own tools has looked.
    """
    if brakes["last"]:
        return Menu("answer", {}, (), True)
    forbidden = forbidden_tools(state["constraints"], [tool.name for tool in tools])
    tools = [tool for tool in tools if tool.name not in forbidden]
    names = {tool.name for tool in tools}
    waiting = nearest_open(state)
    exact = [item for item in waiting if item["action"] in names and item["action"] not in brakes["off"]]
    if menu and exact and not brakes["free"]:
        return _items(exact[:OPEN_SHOWN], tools)
    if menu and not waiting and not brakes["free"] and had_checklist(state):
        return Menu("finish", {}, wanted_effects(state, tools), True)
    if menu and not state["items"] and _needs_no_tool(whole_goal(state), tools):
        goal = whole_goal(state)
        noted = states_a_wish(goal) and mask(goal) == goal
        return Menu("reply", {}, (), True, noted=noted, abilities=asks_what_one_can(goal))
    allowed = tuple(tool for tool in tools if tool.name not in brakes["off"])
    if menu and answered and not state["items"]:
        return Menu("reply", {}, (), True, withheld=allowed)
    offered = allowed
    if menu and not brakes["free"]:
        tried = {item["action"] for item in closed_items(state) if item["action"]}
        offered = reachable(allowed, f"{state['earlier_goal']}\n{whole_goal(state)}", known, tried)
    if menu and only_asks(whole_goal(state)):
        goal = whole_goal(state)
        offered = tuple(tool for tool in offered if tool.read_only or asks_for(goal, tool))
        offered = tuple(tool for tool in offered if not _tells_the_time(tool) or _OF_NOW.search(goal))
    final = not gate or not waiting or brakes["escapes"] >= _ESCAPES_BEFORE_ANSWER or not allowed
    if retold and gate and only_asks(whole_goal(state)):
        final = final and not any(tool.read_only and tool.name not in RECORD_TOOLS for tool in offered)
    withheld = tuple(tool for tool in allowed if tool not in offered)
    return Menu("free" if allowed else "answer", {}, offered, final, withheld=withheld)


def _tells_the_time(tool: ToolShape) -> bool:
    return tool.read_only and not tool.required and bool(words_of(tool.name) & _CLOCK)


def _needs_no_tool(goal: str, tools: Sequence[ToolShape]) -> bool:
    """Whether a message only greets, tells of the user, or asks to remember what no tool is about.

    Small models call one anyway.
    """
    if is_small_talk(goal) or tells_of_oneself(goal):
        return True
    if not asks_to_remember(goal) or re.search(r"[?？]", goal):
        return False
    own = [tool for tool in tools if tool.name not in RECORD_TOOLS]
    commands = " ".join(match.group() for match in _COMMAND.finditer(goal))
    return not _LOOKS_UP.search(commands) and not any(asks_for(goal, t) or _begins_with(commands, t) for t in own)


def _begins_with(commands: str, tool: ToolShape) -> bool:
    """Whether a command begins with a tool's verb."""
    return re.search(rf"\b{re.escape(tool.name.split('_')[0])}", commands, re.IGNORECASE) is not None


def _items(items: Sequence[Item], tools: Sequence[ToolShape]) -> Menu:
    shapes = {tool.name: tool for tool in tools}
    choices = {item["id"]: item for item in items}
    duties = {label: item for label, item in choices.items() if item["subject"]}
    prose = {label: open_parameters(shapes[item["action"] or ""], item["arguments"]) for label, item in duties.items()}
    return Menu("items", choices, (), False, {label: names for label, names in prose.items() if names})


def step_schema(menu: Menu, answer_room: int | None = None) -> dict[str, Any]:
    """The JSON schema of a step: an object at the root, alternatives inside, as hosted servers demand.

    Args:
        menu: what may be done.
        answer_room: characters that the answer may have; None for any number.
    """
    thought = {"type": "string", "maxLength": _THOUGHT}
    if menu.kind == "items":
        return _choice_schema(menu)
    if menu.kind == "finish":
        other = _object({"thought": thought, "action": {"const": OTHER}})
        return _object({"step": {"anyOf": [*_steps(menu, thought, answer_room), other]}})
    steps = _steps(menu, thought, answer_room)
    return _object({"step": steps[0] if len(steps) == 1 else {"anyOf": steps}})


def _choice_schema(menu: Menu) -> dict[str, Any]:
    """One label of several; where a call needs words of the executor's, they are asked for with its label."""
    thought = {"type": "string", "maxLength": _CHOICE_THOUGHT}
    plain = [label for label in menu.choices if label not in menu.prose]
    choice = _object({"thought": thought, "choice": {"type": "string", "enum": [*plain, OTHER]}})
    worded = [_object({"thought": thought, "choice": {"const": label}, **names}) for label, names in menu.prose.items()]
    return _object({"step": {"anyOf": [*worded, choice]}}) if worded else choice


def had_checklist(state: TaskState) -> bool:
    """Whether items were found before they were done, now or in the task that this one goes on with.

    Calls that the executor made of its own accord are no checklist, nor is a search that found nothing.
    """
    found = (item for item in state["items"] if item["subject"] or not only_finds(item["action"] or ""))
    return bool(state["earlier_goal"]) or any(item["source"] != item["evidence"] for item in found)


def wanted_effects(state: TaskState, tools: Sequence[ToolShape]) -> tuple[ToolShape, ...]:
    """The tools that change something and are wanted once all is known.

    Where the secretary has judged a tool, its word counts; else the user's words must have the tool's verb, outside of
    what they forbid.
    """
    judged = state["effects"]
    asked = asked_effects(state, [tool for tool in tools if tool.name not in judged])
    return tuple(tool for tool in tools if judged.get(tool.name) == ONCE or tool in asked)


def asked_effects(state: TaskState, tools: Sequence[ToolShape]) -> tuple[ToolShape, ...]:
    """The tools that change something and whose verb stands in the user's words, outside of what they forbid."""
    said = [piece for text in (state["goal"], *state["amendments"]) for piece in re.split(r"(?<=[.!?。！？；;])", text)]
    wanted = set(tokens(" ".join(piece for piece in said if not FORBIDS.search(piece))))
    return tuple(tool for tool in tools if not tool.read_only and set(tokens(tool.name.split("_")[0])) & wanted)


def speaks_of(request: str, name: str, description: str) -> bool:
    """Whether a request has a word of what a tool is called or says that it does."""
    own = set(tokens(f"{name.replace('_', ' ')} {description}")) - STOPWORDS
    return bool(own & set(tokens(request)))


def shown_thought(thought: str) -> str:
    """A thought as it is shown: one that the schema cut short with a sign of it."""
    return f"{thought}…" if len(thought) in (_THOUGHT, _CHOICE_THOUGHT) else thought


def _steps(menu: Menu, thought: dict[str, Any], answer_room: int | None) -> list[dict[str, Any]]:
    steps = [
        _object({"thought": thought, "action": {"const": tool.name}, "input": _closed(tool.schema)})
        for tool in menu.tools
    ]
    if menu.final:
        text = {"type": "string"} if answer_room is None else {"type": "string", "maxLength": answer_room}
        answer = _object({"answer": text})
        steps.append(_object({"thought": thought, "action": {"const": FINAL}, "input": answer}))
    return steps


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema, "additionalProperties": False}
