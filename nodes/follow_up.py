"""A turn that goes on with the last task: how it is recognised, and what of that task it may build on."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from memory_secretary.memory.bilingual import said
from memory_secretary.memory.lexical import STOPWORDS, tokens
from memory_secretary.memory.periods import MONTH
from memory_secretary.memory.task_state import Item, TaskState, new_task, whole_goal
from memory_secretary.nodes.corrections import names_of, speaks_of_field, told_corrections
from memory_secretary.nodes.fields import AGGREGATE
from memory_secretary.nodes.figures import OF

_ASKS = re.compile(
    r"\b(?:totals?|sum|altogether|in all|comes? to|averages?|mean|highest|lowest|most|least|fewest|largest|smallest|"
    r"difference|how (?:many|much)|figures?|values?)\b|"
    r"合计|总[数计和共]|一共|共计|平均|最[高低多少大小]|相差|多少|数[字值]",
    re.IGNORECASE,
)
"""What is asked of figures."""
_REFERS = re.compile(
    r"\b(?:now|then|so|again|after all|of (?:them|these|those))\b|\A\W*(?:and|but)\b|那么?|现在|这样|其中|呢",
    re.IGNORECASE,
)
"""Words that go on with what was said."""
_ANEW = re.compile(
    r"\b(?:re-?read|read|go through|list|look (?:at|up|through|into)|open|search|find|fetch|collect|check)\b|"
    r"[读看查找翻]|重新|列出",
    re.IGNORECASE,
)
"""Something is to be looked at, again or for the first time."""
_TALK = frozenset(
    tokens(
        f"{' '.join(STOPWORDS)} please thanks ok okay now then again also just after come altogether correct new tell"
    )
)
_TALK_ZH = re.compile(
    r"那么?|现在|这样|其中|更正|改正|之?后|以后|请|再|给|告诉|谢谢|好的|多少|几|哪[个份些]?|一共|总共|共计|合计|总[数计和]?|"
    r"平均|最[高低多少大小]|相差|它们?|他们|数[字值]?|结果|应该|变成?|什么|一下|[我你呢吗啊吧的是了有就又和也在算]"
)
_NEW_WORDS, _NEW_SIGNS = 1, 2
"""So many words, or Chinese characters, a turn may have that the last task did not, if it names a record or a field."""


def goes_on(message: str, task: TaskState) -> bool:
    """Whether a turn evidently goes on with a finished task: it corrects a value, or asks more of the noted ones.

    It asks more when it speaks of figures, ties them to the task (a record, a field, a word such as *now*), wants
    nothing looked at, and speaks of hardly anything that the task did not.
    """
    if not task["values"]:
        return False
    if told_corrections(message, task):
        return True
    if not _ASKS.search(message) or _ANEW.search(message):
        return False
    folded = unicodedata.normalize("NFKC", message)
    text = _without_names(folded, task)
    if text != folded or any(speaks_of_field(text, name) for name in task["fields"]):
        return _new_words(text, task) <= _NEW_WORDS and _new_signs(text, task) <= _NEW_SIGNS
    return _REFERS.search(text) is not None and not _new_words(text, task) and not _new_signs(text, task)


_ELLIPTIC = re.compile(
    r"\A\W*(?:(?:and|but|so|ok(?:ay)?|now|then)\b\W*)?(?:what about|how about|and|in|for)\b.{1,60}[?？]\s*\Z"
    r"|\A\W*(?:那么?|还有|换成|如果是)?.{1,16}呢\s*[?？。]?\s*\Z"
    rf"|\A\W*(?:那么?|还有)?(?:{MONTH.pattern})(?:份|的)?[是有]?(?:一共|总共)?多少\w{{0,2}}\s*[?？。]?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
"""A turn that is no whole question: *and in April?*, 四月呢？"""
_WORDS_OF_ELLIPSIS = 7


def completed(message: str, task: TaskState) -> str:
    """The whole question that a turn of a few words asks after the last task; empty where it stands for itself.

    *And in April?* after a question about March is that question about April. Where no month tells what takes the place
    of what, the question before is named.
    """
    text = message.strip()
    if not _ELLIPTIC.match(text) or len(text.split()) > _WORDS_OF_ELLIPSIS:
        return ""
    before = _first_goal(task)
    new, old = MONTH.findall(text), MONTH.findall(before)
    if len(new) == 1 and len(set(old)) == 1:
        return MONTH.sub(new[0], before)
    return said(f"(asked after: {before})", f"（接着上一个问题：{before}）")


_AFTER = re.compile(r"[(（](?:asked after: |接着上一个问题：)(?P<before>.*)[)）]\s*\Z", re.DOTALL)


def said_and_meant(goal: str) -> list[str]:
    """A goal, or what a turn of a few words says and then the question that it was asked after."""
    match = _AFTER.search(goal)
    return [goal[: match.start()], match["before"]] if match else [goal]


def tables_read(task: TaskState) -> list[tuple[str, dict[str, Any]]]:
    """The calls that read the records whose rows answered a task: other rows may answer what is asked next."""
    rows = {value["ref"] for value in task["values"] if OF in value["subject"]}
    return [
        (item["action"], item["arguments"]) for item in task["items"] if item["action"] and item["evidence"] in rows
    ]


def carried_on(task: TaskState, message: str, *, task_id: str, goal_ref: str) -> TaskState:
    """A new task with what the last one knew: its values and what they come from, and what the user laid down.

    Nothing of it is read again. Calls that were left open are dropped; the tools that change something are judged anew,
    by this turn's words. Where the turn names records of the same kind that the task does not know, calls are looked
    for in it as in any request.
    """
    names = names_of(task)
    known = all(one.subject in names.subjects for one in names.alike(unicodedata.normalize("NFKC", message)))
    return TaskState(
        **{
            **new_task(task_id=task_id, goal=message, goal_ref=goal_ref),
            "earlier_goal": _first_goal(task),
            "constraints": task["constraints"],
            "fields": task["fields"],
            "items": [_left(item) for item in task["items"]],
            "values": task["values"],
            "closed": task["closed"],
            "considered": [one for one in task["considered"] if known or "(" not in one],
            "told": task["told"],
            "adjustments": task["adjustments"],
        }
    )


def _first_goal(task: TaskState) -> str:
    return task["earlier_goal"] or whole_goal(task)


def _left(item: Item) -> Item:
    return Item(**{**item, "status": "dropped"}) if item["status"] == "open" else item


def _without_names(text: str, task: TaskState) -> str:
    for one in reversed(names_of(task).alike(text)):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text


def _new_words(text: str, task: TaskState) -> int:
    known = AGGREGATE | _TALK | set(tokens(_known_words(task)))
    words = {token for word in re.findall(r"[A-Za-z]{2,}", text) for token in tokens(word)}
    return len(words - known)


def _new_signs(text: str, task: TaskState) -> int:
    rest = _TALK_ZH.sub("", text)
    return len(set(re.findall(r"[\u3400-\u9fff]", rest)) - set(_known_words(task)))


def _known_words(task: TaskState) -> str:
    return "\n".join([task["earlier_goal"], whole_goal(task), *task["fields"]])
