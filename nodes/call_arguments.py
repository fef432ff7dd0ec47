"""The arguments of a call, copied by code from the record that makes the call necessary.

A small model takes the id from one record and the amount from another; here nothing comes from anywhere else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.nodes.candidates import ToolShape, identifiers_in, words_of
from memory_secretary.nodes.digest import rank
from memory_secretary.nodes.noting import is_money, values_in
from memory_secretary.nodes.numbers import numbers_in
from memory_secretary.nodes.pairing import is_prose_name
from memory_secretary.nodes.passages import passages

_LINES = 7
"""Lines of a record that say most about it."""
_SELF = re.compile(
    r"\bthis (?:record|file|report|document|sheet|entry|case|order|invoice|note|form)\b|"
    r"本(?:记录|文件|报告|单|表|件|案)|[这该此]份",
    re.IGNORECASE,
)
_SELF_LINES = 2
_NAMED = 2
"""Words of the goal that a line is worth more when it names its own record."""
_GENERIC = frozenset({"id", "no", "nr", "number", "code", "key", "name", "ref"})
"""Words in a parameter's name that do not say of what it is the key."""
_PERSON_WORDS = frozenset({"to", "recipient", "addressee", "receiver", "person", "who", "whom", "contact", "attention"})
"""Words in a parameter's name that ask for somebody's name."""
_OF_PERSON = re.compile(r"\b(?:person|people|somebody|someone|addressee|recipient)\b|姓名|人", re.IGNORECASE)
_MONEY_WORDS = frozenset({"amount", "sum", "total", "price", "fee", "cost", "payment", "money", "balance"})


def own_lines(record: str, goal: str, subject: str) -> list[str]:
    """The lines of a record that say most about itself for this goal, in its own order.

    Those that speak of it as *this record* come first, then those nearest to goal and subject.
    """
    pieces = passages(record)
    ranked = [piece.text for score, piece in rank(pieces, [goal, subject]) if score > 0]
    itself = [piece.text for piece in pieces if _SELF.search(piece.text)][:_SELF_LINES]
    chosen = set(list(dict.fromkeys([*itself, *ranked]))[:_LINES])
    return list(dict.fromkeys(piece.text for piece in pieces if piece.text in chosen))


def known_arguments(
    tool: ToolShape, read_by: Mapping[str, Any], lines: Sequence[str], goal: str, person: str = ""
) -> dict[str, Any]:
    """The arguments that code finds: the record's own key, an amount where one number plainly is it, the one person.

    Args:
        tool: the tool to be called.
        read_by: the arguments that the record was read with: its own key.
        lines: what the record says of itself, and its lines with money.
        goal: the user's words.
        person: the one whom the record is about; empty where nobody is known to be.
    """
    found: dict[str, Any] = {}
    for name in exact_parameters(tool):
        schema = tool.schema["properties"][name]
        key = _own_key(name, read_by)
        if key is not None:
            found[name] = key
        elif schema.get("type") in ("integer", "number"):
            amount = _amount(name, schema, tool, subject_of(read_by), lines, goal)
            if amount is not None:
                found[name] = amount
        elif person and _asks_for_person(name, f"{schema.get('description', '')} {tool.description}"):
            found[name] = person
    return found


def money_lines(record: str) -> list[str]:
    """The lines of a record that name a sum of money."""
    return [piece.text for piece in passages(record) if any(is_money(piece.text, n) for n in values_in(piece.text))]


def cells_of(record: str) -> set[str]:
    """What stands alone in a cell or behind a label of a record."""
    return {cell.strip() for piece in passages(record) for cell in re.split(r"[|:：,，>]", piece.text)}


def exact_parameters(tool: ToolShape) -> list[str]:
    """The required arguments that stand in records word for word: no prose and no switches."""
    kinds = tool.schema["properties"]
    return [name for name in tool.required if not is_prose_name(name) and kinds[name].get("type") != "boolean"]


def open_parameters(tool: ToolShape, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of the required arguments that a call still lacks: what only the executor can word."""
    return {name: tool.schema["properties"][name] for name in tool.required if name not in arguments}


def as_argument(value: str, schema: Mapping[str, Any]) -> Any:
    """A value copied from a text in the type that its parameter wants; None when it is none."""
    if schema.get("type") not in ("integer", "number"):
        return value
    numbers = numbers_in(value)
    if len(numbers) != 1:
        return None
    return _typed(numbers[0].value, schema)


def subject_of(read_by: Mapping[str, Any]) -> str:
    """What a record is called: the arguments that it was read with."""
    return ", ".join(map(str, read_by.values()))


def _asks_for_person(name: str, said: str) -> bool:
    """Whether an argument takes somebody's name: by its own, or (``name``) by what the tool says of it."""
    return bool(words_of(name) & _PERSON_WORDS) or (name == "name" and _OF_PERSON.search(said) is not None)


def _own_key(name: str, read_by: Mapping[str, Any]) -> Any:
    """The record's own key where the argument asks for it (``invoice_id`` of a record read by ``invoice``)."""
    if name in read_by:
        return read_by[name]
    if len(read_by) != 1:
        return None
    (other, value), wanted = next(iter(read_by.items())), words_of(name) - _GENERIC
    return value if wanted and wanted == words_of(other) - _GENERIC else None


def _amount(
    name: str, schema: Mapping[str, Any], tool: ToolShape, subject: str, lines: Sequence[str], goal: str
) -> Any:
    """The number that an argument takes from a record; None where several fit about as well.

    A line that names another record speaks of that one's figures; where money is wanted, only sums of money count as
    long as there are any.
    """
    said = f"{' '.join(words_of(name))} {schema.get('description', '')} {tool.description} {goal}"
    wanted = set(tokens(said)) - STOPWORDS
    found: list[tuple[float, bool, Decimal]] = []
    for line in lines:
        text = unicodedata.normalize("NFKC", line.replace(subject, " ") if subject else line)
        if not any(_pattern(other) == _pattern(subject) for other in identifiers_in(text)):
            near = len(set(tokens(text)) & wanted) + _NAMED * (subject in line)
            found += [(near, is_money(text, number), number.value) for number in values_in(text)]
    if words_of(name) & _MONEY_WORDS and any(money for _, money, _ in found):
        found = [one for one in found if one[1]]
    best = max((near for near, _, _ in found), default=0)
    values = {value for near, _, value in found if near == best}
    return _typed(values.pop(), schema) if len(values) == 1 else None


def _pattern(key: str) -> str:
    return re.sub(r"\d+", "#", key)


def _typed(value: Decimal, schema: Mapping[str, Any]) -> Any:
    if value == value.to_integral_value():
        return int(value)
    return float(value) if schema["type"] == "number" else None
