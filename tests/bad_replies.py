"""What small models reply in place of cards about one statement, in English or Chinese."""

from __future__ import annotations

import json
from typing import Any

EN, ZH = "I keep 12 hives at Lake Orrin.", "我在柳湖养了12箱蜂。"


def _cards(*entries: Any, key: str = "cards") -> str:
    return json.dumps({key: list(entries)}, ensure_ascii=False)


UNUSABLE = [
    # prose, nothing, other languages
    "",
    " ",
    "\n\n",
    "I found nothing worth keeping.",
    "Sure! I will remember that.",
    "没有值得记住的内容。",
    "好的，我记住了。",
    "Nichts Besonderes.",
    "No hay nada que guardar.",
    "覚えました。",
    "null",
    "None",
    "true",
    "42",
    "[]{",
    "{}",
    "```json\n```",
    "```\nThe user keeps hives.\n```",
    "- The user keeps 12 hives",
    "1. keeps hives\n2. lives at the lake",
    "<cards></cards>",
    # thinking
    "<think></think>",
    "<think>the user keeps bees",
    "Sure. <think>let me re",
    '<think>{"cards": [{"content": "User has 12 hives"}]}',
    "[THINK]maybe[/THINK]",
    # cut off
    '{"cards": [',
    '{"cards": [{"line": "1", "content": "The user keeps',
    '{"cards"',
    "{",
    '{"cards": [{"line": "1"',
    # wrong shapes and keys
    '{"cards": null}',
    '{"cards": "The user keeps hives"}',
    '{"cards": 3}',
    '{"answer": "The user keeps 12 hives."}',
    '{"x": [1, 2]}',
    '{"cards": [null]}',
    '{"cards": [[]]}',
    '{"cards": [1, true, 2.5]}',
    '{"cards": [{}]}',
    "[null, null]",
    "[1, 2, 3]",
    '[{"a": 1}]',
    '{"error": "model overloaded"}',
    '{"cards": {"cards": {}}}',
    '{"add": [], "delete": ["evt_1"]}',
    # nulls, blanks, placeholders
    _cards({"line": None, "content": None}),
    _cards({"line": "1", "content": "   "}),
    _cards({"content": "string"}),
    _cards({"content": "..."}),
    _cards({"content": "<fact>"}),
    _cards({"content": "N/A"}),
    _cards({"content": "无"}),
    _cards({"content": "示例"}),
    _cards({"content": "your fact here"}),
    _cards({"content": ["", None]}),
    _cards({"content": {"a": 1}}),
    _cards({"quote": "", "content": ""}),
    # the schema, the prompt
    '{"type": "object", "properties": {"cards": {"type": "array"}}, "required": ["cards"]}',
    '{"$schema": "x", "title": "cards"}',
    _cards({"type": "object", "properties": {"line": {"enum": ["1"]}}}),
    _cards({"line": "1", "content": "The user teaches at the school in Zanthorpe.", "about": "user"}),
    _cards({"content": "Quillby, the user's cousin, cannot stand cheese."}),
    _cards({"content": "用户在赞托普教书。"}),
    _cards({"content": "Assistant must answer politely"}),
    _cards({"content": "You note what its user tells that will still matter"}),
    # invented
    _cards({"content": "The user is vegan."}),
    _cards({"line": "1", "content": "The user drinks tea."}),
    _cards({"quote": "I love camping", "content": "The user loves camping."}),
    _cards({"content": "用户喜欢露营。"}),
    _cards("drives a red car"),
    _cards({"line": "9", "content": "The user moved to Graz."}),
]
"""Nothing of these may become a card, and the turn has to stay pending."""

USABLE = [
    'Here you go: {"facts": ["keeps 12 hives at Lake Orrin"]} Anything else?',
    '```json\n{"facts": ["The user keeps 12 hives at Lake Orrin."]}\n```',
    "{'facts': ['keeps 12 hives at Lake Orrin',]}",
    '<think>bees</think>{"cards": [{"line": "1", "content": "The user keeps 12 hives at Lake Orrin."}]}',
    'bees…</think>{"cards": [{"line": 1, "value": "12"}]}',
    '[{"text": "The user keeps 12 hives."}]',
    '["The user keeps 12 hives at Lake Orrin."]',
    '{"1": {"content": "The user keeps 12 hives at Lake Orrin.", "attribute": "hives", "value": "12"}}',
    '{"line": "1", "content": "The user keeps 12 hives at Lake Orrin."}',
    '{"cards": [{"quote": "i keep 12  HIVES", "content": "The user keeps 12 hives."}, {"content": null}, '
    '{"content": "The user is vegan."}]}',
    '{"cards": [{"line": "1", "content": "The user keeps 120 hives at Lake Orrin."}]}',
    '{"cards": [{"line": "1", "content": "The user does not keep 12 hives at Lake Orrin."}]}',
    '{"cards": [{"line": "1", "content": "The user keeps 12 hives at Lake Boden."}]}',
    '{"cards": [{"line": "1", "content": "The user keeps 12 hives at Lake Orrin.", "extra": [{}], "value": 12}',
]
"""The card of the statement comes of each, in words that are the statement's."""
