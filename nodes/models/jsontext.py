"""Finding the JSON object in what a small model wrote around it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from memory_secretary.memory.bilingual import said

_PIECE = re.compile(
    r"""
    (?P<double>"(?:[^"\\]|\\.)*")                            # a string
    |(?P<open_string>")                                      # a string that never ends
    |'(?P<single>(?:[^'\\]|\\.|'(?=\w))*)'(?=\s*[:,}\]])     # a string in single quotes, apostrophes inside allowed
    |(?P<comma>,)(?=\s*[}\]])                                # a comma too many
    |(?P<word>\b(?:None|True|False)\b)                       # Python's words
    |(?P<brace>[{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"None": "null", "True": "true", "False": "false"}
_KEY_FOLLOWS = re.compile(r"\{\s*[\"'}]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Found:
    """The object, or None and the reason: what follows "the reply …", in the language spoken here."""

    data: dict[str, Any] | None
    problem: str = ""


def find_json(text: str, *, required: Collection[str] = ()) -> Found:
    """The JSON object in ``text``, past fences and sentences around it.

    Of several objects the first with all ``required`` keys is taken, else the first; objects that hold only lists
    under the same keys are one answer in pieces and are joined. Single quotes, trailing commas and Python's ``None``,
    ``True`` and ``False`` are read as meant. JSON that was cut off is never completed, and no piece of it is taken
    for the whole.

    Args:
        text: the reply, without reasoning.
        required: keys the wanted object has.
    """
    if not text.strip():
        return Found(None, said("is empty", "是空的"))
    objects, problem = _objects(_unquoted(text))
    if not objects:
        return Found(None, problem or said("holds no JSON object", "里没有 JSON 对象"))
    if _are_pieces(objects):
        return Found(_join(objects))
    return Found(next((found for found in objects if set(required) <= found.keys()), objects[0]))


def all_objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """Every whole JSON object in ``text``, read as :func:`find_json` reads one, and what is wrong with the rest.

    An object that was cut off is not completed, but whole ones inside it are found. The problem, in words that follow
    "the reply …", is empty when nothing was cut off; without any object it says why there is none.
    """
    text = _unquoted(text)
    found, problem = _objects(text)
    if not found and "{" not in text:
        return [], said("holds no JSON object", "里没有 JSON 对象")
    cut = _cut_at(text) if problem else -1
    if cut >= 0:
        found += _objects(text[cut + 1 :])[0]
    return found, problem if cut >= 0 or not found else ""


def _cut_at(text: str) -> int:
    """Where an object begins whose end is missing; -1 where there is none."""
    position = text.find("{")
    while position >= 0:
        data, end = _object_at(text, position)
        if data is None and end < 0 and _KEY_FOLLOWS.match(text, position):
            return position
        position = text.find("{", end if end > 0 else position + 1)
    return -1


def _unquoted(text: str) -> str:
    """The text inside, when the whole reply is one JSON string (an object written as a string)."""
    try:
        inside = json.loads(text) if text.lstrip().startswith('"') else text
    except ValueError:
        return text
    return inside if isinstance(inside, str) else text


def _objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """All objects in ``text`` that do not lie in another one, and what stopped the search early."""
    found: list[dict[str, Any]] = []
    position = text.find("{")
    while position >= 0:
        data, end = _object_at(text, position)
        if data is not None:
            found.append(data)
        elif end < 0 and _KEY_FOLLOWS.match(text, position):
            return found, said(
                "holds JSON that is cut off or whose quotes do not match", "里的 JSON 被截断或引号不配对"
            )
        position = text.find("{", end if end > 0 else position + 1)
    return found, said("has braces that hold no valid JSON", "的花括号里不是有效的 JSON") if "{" in text else ""


def _object_at(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """The object that begins at ``start``, if it is one, and where its braces end (-1: they do not)."""
    try:
        data, end = _decoder.raw_decode(text, start)
        return _clean(data), end
    except (ValueError, RecursionError):
        end = _closing(text, start)
    if end < 0:
        return None, end
    try:
        return _clean(_decoder.decode(_PIECE.sub(_as_json, text[start:end]))), end
    except (ValueError, RecursionError):
        return None, end


def _closing(text: str, start: int) -> int:
    """Where the brace that opens at ``start`` is closed; -1 when it is not."""
    depth = 0
    for piece in _PIECE.finditer(text, start):
        if piece["open_string"]:
            return -1
        if piece["brace"]:
            depth += 1 if piece["brace"] == "{" else -1
            if depth == 0:
                return piece.end()
    return -1


def _as_json(piece: re.Match[str]) -> str:
    """One piece of almost-JSON as JSON."""
    if piece["single"] is not None:
        inner = piece["single"].replace("\\'", "'")
        return '"' + re.sub(r'(?<!\\)"', r"\"", inner) + '"'
    if piece["comma"]:
        return ""
    return _WORDS.get(piece[0], piece[0])


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def _finite(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _refuse_constant(written)


_decoder = json.JSONDecoder(strict=False, parse_constant=_refuse_constant, parse_float=_finite)
"""Line breaks inside strings are let through, since small models write them; NaN and infinities are not."""


def _clean(data: Any) -> Any:
    """``data`` with half characters (lone surrogates) replaced: nothing could store or send them."""
    written = json.dumps(data, ensure_ascii=False)
    return json.loads(_LONE_SURROGATE.sub("\ufffd", written)) if _LONE_SURROGATE.search(written) else data


def _are_pieces(objects: list[dict[str, Any]]) -> bool:
    """Whether several objects hold nothing but lists, all under the same keys."""
    keys = objects[0].keys()
    return (
        len(objects) > 1
        and bool(keys)
        and all(found.keys() == keys and all(isinstance(value, list) for value in found.values()) for found in objects)
    )


def _join(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """One object whose lists hold the entries of all, each once."""
    return {key: list(_unique(entry for found in objects for entry in found[key])) for key in objects[0]}


def _unique(entries: Iterator[Any]) -> Iterator[Any]:
    seen: set[str] = set()
    for entry in entries:
        key = json.dumps(entry, sort_keys=True)
        if key not in seen:
            seen.add(key)
            yield entry
