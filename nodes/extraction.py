"""What the secretary's model is asked about a user's statements, and how its reply is read.

Pure functions. Nothing that is read here is a card yet: :mod:`~memory_secretary.nodes.grounded_cards` holds each item
against the statement that it is said to come from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.codec import in_zone
from memory_secretary.nodes.models.jsontext import all_objects
from memory_secretary.nodes.models.reasoning import strip_reasoning
from memory_secretary.nodes.own_words import Line

KINDS = ("fact", "inference")
MARKERS = ("Zanthorpe", "Quillby", "赞托普", "奎尔比")
"""Names that only the examples of the prompt have: an item that repeats one is the prompt's and not the user's."""
_ATTRIBUTE, _VALUE, _WHEN, _CONTENT = 40, 80, 60, 200
"""Characters of an item's parts at most."""
_ITEMS_A_LINE = 2

SYSTEM = (
    "You are the secretary of an assistant. You note what its user tells that will still matter in later "
    "conversations. You answer only from the lines you are shown, in JSON."
)
PROMPT = """Example. Lines:
1. I teach at the school in Zanthorpe.
2. Rain again today.
3. My cousin Quillby cannot stand cheese.
Cards: line 1: content "The user teaches at the school in Zanthorpe.", about "user", attribute "school", value \
"Zanthorpe"; line 3: content "Quillby, the user's cousin, cannot stand cheese.", about "Quillby", attribute "cheese", \
value "cannot stand". Line 2 gives no card: it matters only today.

Write a card for each single fact in the lines below that will still matter in later conversations: what the user \
likes or wants, who and what they and the people around them are, have and do, rules and limits they set, what \
happened when. None for what matters only now.
- content: the fact as one short sentence in the language of its line; names and numbers letter by letter
- about: "user", or the name of the person or thing the fact is about
- attribute: which property of it, in one or two words
- value: what the property is, copied from the line
- when: for which kind of task or question it will matter, in a few words
- kind: "fact" if the line says it, "inference" if you conclude it
Write the JSON on one line.

{said}"""
RETRY = """

Your last answer could not be used: {problem}. Answer again, with the cards as JSON and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One card as a model wrote it, before anything is checked; empty where it said nothing.

    ``line`` is the number of the statement it names, from 1, or None.
    """

    content: str = ""
    quote: str = ""
    line: int | None = None
    about: str = ""
    attribute: str = ""
    value: str = ""
    when: str = ""
    type: str = ""
    kind: str = ""
    valid_from: str = ""
    valid_until: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a part of a reply is no card, in one sentence, and the number of the statement it names, or None."""

    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply holds.

    Attributes:
        items: what may become cards.
        refused: the other parts of the reply.
        problem: why the reply as a whole says nothing that can be relied on; its items may be good all the same.
    """

    items: Sequence[Item]
    refused: Sequence[Refusal] = ()
    problem: str = ""


def prompt_of(lines: Sequence[Line], problem: str = "") -> str:
    """The question about some statements, each with its speaker and day; after a bad reply with what was wrong."""
    return PROMPT.format(said="\n".join(_shown(lines))) + (RETRY.format(problem=problem) if problem else "")


def _shown(lines: Sequence[Line]) -> Iterator[str]:
    """The statements, numbered; a heading with speaker and day wherever one of them changes."""
    heading = ""
    for number, line in enumerate(lines, 1):
        day = in_zone(line.event.at, ZoneInfo(line.event.zone))
        new = f"{line.event.scope.user or 'The user'} said on {day:%Y-%m-%d}:"
        if new != heading:
            yield new
            heading = new
        yield f"{number}. {' '.join(line.text.split())}"


def schema_of(count: int) -> dict[str, Any]:
    """The JSON schema of an answer about so many statements."""
    fields = {
        "line": {"enum": [str(number) for number in range(1, count + 1)]},
        "content": _text(_CONTENT),
        "about": _text(_ATTRIBUTE),
        "attribute": _text(_ATTRIBUTE),
        "value": _text(_VALUE),
        "when": _text(_WHEN),
        "kind": {"enum": list(KINDS)},
    }
    card = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    cards = {"type": "array", "items": card, "maxItems": _ITEMS_A_LINE * count}
    return {"type": "object", "properties": {"cards": cards}, "required": ["cards"], "additionalProperties": False}


def _text(length: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": length}


# --- the reply ------------------------------------------------------------------------------------------------------

_LISTS = ("cards", "facts", "memories", "items", "notes", "results", "卡片", "事实", "记忆", "列表")
_NAMES: Mapping[str, Sequence[str]] = {
    "content": ("content", "text", "fact", "memory", "statement", "内容", "事实", "记忆"),
    "quote": ("quote", "evidence", "source", "引文", "原文"),
    "line": ("line", "number", "行", "行号"),
    "about": ("about", "subject", "who", "person", "主题", "关于"),
    "attribute": ("attribute", "property", "topic", "属性"),
    "value": ("value", "值"),
    "when": ("when", "applies_to", "situation", "适用"),
    "type": ("type", "类型"),
    "kind": ("kind", "性质"),
    "valid_from": ("valid_from", "生效"),
    "valid_until": ("valid_until", "有效期至", "失效"),
}
"""The parts of an item and what else models call them."""
_LIMITS = {"content": _CONTENT * 2, "about": _ATTRIBUTE, "attribute": _ATTRIBUTE, "value": _VALUE, "when": _WHEN}
_ECHO = frozenset(
    {"properties", "$schema", "additionalproperties", "maxlength", "maxitems", "enum", "anyof", "required"}
)
_EMPTY = re.compile(
    r"[\W_]*|<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|(?:string|text|content|fact|value|card|example|placeholder|todo|tbd|n/?a|none|"
    r"null|nil|unknown|undefined|nothing(?: (?:to (?:note|keep|remember)|worth keeping))?|not (?:specified|applicable|"
    r"mentioned|available)|no (?:facts?|information|data|cards?)|lorem ipsum.*|your .{1,30} here|insert .{1,30}|"
    r"the fact as one short sentence.*|字符串|内容|事实|示例|例子|无|没有|未知|空|暂无|未提及|没有(?:信息|内容|事实)|"
    r"在此.{0,12})[\W_]*",
    re.IGNORECASE | re.DOTALL,
)


def read_reply(text: str) -> Reading:
    """What a model's reply holds; never raises, completes nothing and guesses nothing.

    Reasoning, fences and sentences around the JSON are no part of it. Whole items in front of the place where a reply
    was cut off are read, and the reply counts as unusable all the same.
    """
    plain = strip_reasoning(text)
    if not plain:
        return Reading((), (), said("the reply is empty", "回复是空的"))
    strings = _list_of_strings(plain)
    if strings is not None:
        return _checked(strings, "")
    objects, problem = all_objects(plain)
    if not objects:
        return Reading((), (), said(f"the reply {problem}", f"回复{problem}"))
    raw: list[Any] = []
    usable = False
    for found in objects:
        entries = _entries(found)
        usable = usable or entries is not None
        raw += entries or []
    if not usable:
        problem = said("has none of the keys that were asked for", "没有所要求的键")
    return _checked(raw, said(f"the reply {problem}", f"回复{problem}") if problem else "")


def _list_of_strings(text: str) -> list[Any] | None:
    """A reply that is a list without objects in it."""
    start, end = text.find("["), text.rfind("]")
    if start < 0 or end < start or "{" in text:
        return None
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _entries(found: Mapping[str, Any]) -> list[Any] | None:
    """The raw items of one object; None where it is nothing that was asked for."""
    if _is_schema(found):
        return None
    for key in _LISTS:
        if isinstance(found.get(key), list):
            return list(found[key])
        if isinstance(found.get(key), dict):
            return [found[key]]
    numbered = {key: entry for key, entry in found.items() if key.isdecimal()}
    if numbered and len(numbered) == len(found):
        return [{"line": key, **entry} if isinstance(entry, dict) else entry for key, entry in numbered.items()]
    is_item = any(_given(found, part) is not None for part in ("content", "quote", "line"))
    return [found] if is_item and not any(key in found for key in _LISTS[:4]) else None


def _is_schema(found: Mapping[str, Any]) -> bool:
    keys = {str(key).casefold() for key in found}
    return len(keys & _ECHO) > 1 or ("properties" in keys or "$schema" in keys)


def _checked(raw: Sequence[Any], problem: str) -> Reading:
    """Each raw item by itself: one that is bad never sinks its neighbours."""
    items: list[Item] = []
    refused: list[Refusal] = []
    for place, entry in enumerate(raw, 1):
        item = _item(entry)
        if isinstance(item, Item):
            items.append(item)
        else:
            line = _line(_given(entry, "line")) if isinstance(entry, dict) else None
            refused.append(Refusal(said(f"card {place}: {item}", f"第 {place} 张卡片：{item}"), line))
    return Reading(tuple(dict.fromkeys(items)), tuple(refused), problem)


def _item(entry: Any) -> Item | str:
    """An item, or why it is none."""
    if isinstance(entry, str):
        entry = {"content": entry}
    if not isinstance(entry, dict):
        return said(f"it is no card but {type(entry).__name__}", f"它不是卡片，而是 {type(entry).__name__}")
    if _is_schema(entry):
        return said("it repeats the schema", "它重复了结构说明")
    parts = {part: _part(entry, part) for part in _NAMES if part != "line"}
    line = _line(_given(entry, "line"))
    if not (parts["content"] or parts["quote"]) and not (line and (parts["value"] or parts["attribute"])):
        return said("it is empty or only a placeholder", "它是空的或只是占位")
    spoken = " ".join(parts.values())
    if any(marker in spoken for marker in MARKERS):
        return said(
            "the model gave the prompt's own example in place of what you said", "模型照抄了提示里的例子，没有用您的话"
        )
    return Item(**parts, line=line)


def _given(entry: Mapping[str, Any], part: str) -> Any:
    return next((entry[name] for name in _NAMES[part] if entry.get(name) is not None), None)


def _part(entry: Mapping[str, Any], part: str) -> str:
    """A part of an item as text; empty for what is none, only holds a place, or is far too long."""
    given = _given(entry, part)
    if isinstance(given, list):
        given = given[0] if given else ""
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return ""
    text = " ".join(str(given).split())
    return "" if _EMPTY.fullmatch(text) or len(text) > _LIMITS.get(part, 2 * _CONTENT) else text


def _line(given: Any) -> int | None:
    number = re.search(r"\d{1,4}", str(given)) if isinstance(given, str | int) and not isinstance(given, bool) else None
    return int(number.group()) if number else None
