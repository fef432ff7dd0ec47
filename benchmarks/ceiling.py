"""How far the brief alone carries a long task: an executor without judgement takes what is offered and copies it.

    python benchmarks/ceiling.py                          # the 64 development tasks; two minutes, no model
    python benchmarks/ceiling.py --seeds 7001,7002        # other tasks of every family, length and language

It makes the right first call, then always takes the first open item, and answers with the figures of the brief, or the
done items where there are none. The secretary needs every call that it is offered and can say nothing else. Where this
ends wrong, a real small model lacks something in its brief; where it ends right, what is left is to read and to copy.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.arms import OURS
from memory_secretary.graph.evaluation.longtask import FAMILIES, LENGTHS, LongTask, development_tasks, make_task
from memory_secretary.graph.evaluation.longtask.run import run_task
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.wording import EN, ZH

WINDOW, SECRETARY_WINDOW = 2048, 4096
_LABELS = re.compile(r'"choice": ((?:i\d+, )+)something_else')
_CALLS = re.compile(r"^(\d+)\. ", re.MULTILINE)
_FILLED = re.compile(r"(i\d+(?:, i\d+)*)[^.。\n]*?(?:also write|还要写出) ([\w, ]+)")
"""Which labels need words of the executor's, and the names of these; see ``next_words`` of both languages."""


class Copyist(BaseChatModel):
    """Both roles without judgement; ``first`` is the call that begins the task."""

    first: dict[str, Any]
    begun: set[str] = Field(default_factory=set)

    @property
    def _llm_type(self) -> str:
        return "copyist"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        reply = json.dumps(self.reply(str(messages[-1].content)), ensure_ascii=False)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])

    def reply(self, prompt: str) -> dict[str, Any]:
        """What is said to a prompt of the executor's, or of the secretary's."""
        if prompt.startswith("Task of the assistant:"):
            return dict.fromkeys(_CALLS.findall(prompt), "yes")
        if labels := _LABELS.search(prompt):
            return chosen(prompt, labels.group(1).split(", ")[0])
        goal = next((text for words in (EN, ZH) if (text := section(prompt, words.goal))), "")
        offered = f'"{self.first["action"]}"' in prompt
        if offered and goal not in self.begun and not any(section(prompt, words.done) for words in (EN, ZH)):
            self.begun.add(goal)
            return {"step": {"thought": "", **self.first}}
        return {"step": {"thought": "", "action": "final_answer", "input": {"answer": copied(prompt)}}}


def chosen(prompt: str, label: str) -> dict[str, Any]:
    """The choice of an item; what has to be worded is the item's own line."""
    wanted = _FILLED.search(prompt)
    if wanted is None or label not in wanted[1].split(", "):
        return {"thought": "", "choice": label}
    names = wanted[2].split(", ")
    line = re.search(rf"^{label}: (.*)$", prompt, re.MULTILINE)
    return {"step": {"thought": "", "choice": label, **dict.fromkeys(names, line[1] if line else label)}}


def section(prompt: str, heading: str) -> str:
    """What stands under a heading of the brief, or nothing."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=\n\n|\Z)", prompt, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def copied(prompt: str) -> str:
    """The brief's figures, else what was done, else what was recalled."""
    names = [name for words in (EN, ZH) for name in (words.figures, words.done, words.recalled, words.kept)]
    order = [*names[0::4], *names[1::4], *names[2::4], *names[3::4]]
    return next((text for name in order if (text := section(prompt, name))), "-")


def main() -> None:
    options = parsed()
    right, all_of = Counter[str](), Counter[str]()
    for task in wanted(options):
        row = copied_through(task)
        for key in (task.family, task.length, task.lang, "all"):
            all_of[key] += 1
            right[key] += row["right"]
        about = f"{task.family} {task.seed} {task.lang} {task.length}: {row['steps']} of {task.needed_steps} steps"
        print(about, "right" if row["right"] else f"wrong {row['missing']} {row['stop_reason']}"[:200], flush=True)
    print("\n| kind | right |\n|---|---|")
    for key, count in all_of.items():
        print(f"| {key} | {right[key]} of {count} |")


def copied_through(task: LongTask) -> dict[str, Any]:
    """The row of one task as the copyist does it."""
    call = task.oracle.calls[0]
    model = Copyist(first={"action": call.tool, "input": dict(call.arguments)})
    settings = Settings(user_id="benchmark", executor_window=WINDOW, secretary_window=SECRETARY_WINDOW)
    return run_task(task, OURS, resolve_model(model, window=SECRETARY_WINDOW), settings)


def wanted(options: argparse.Namespace) -> Iterator[LongTask]:
    """The development tasks, or those of the given seeds."""
    kinds = {name: getattr(options, name).split(",") for name in ("family", "length", "lang")}
    seeds = [int(seed) for seed in options.seeds.split(",") if seed]
    made = (make_task(f, s, g, n) for f in FAMILIES for s in seeds for g in ("en", "zh") for n in LENGTHS)  # type: ignore[arg-type]
    for task in made if seeds else development_tasks():
        if all(getattr(task, name) in chosen for name, chosen in kinds.items()):
            yield task


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", default=",".join(FAMILIES))
    parser.add_argument("--length", default=",".join(LENGTHS))
    parser.add_argument("--lang", default="en,zh")
    parser.add_argument("--seeds", default="", help="instead of the development tasks")
    return parser.parse_args()


if __name__ == "__main__":
    main()
