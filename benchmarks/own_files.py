"""Questions over a folder of one's own small files: some rows of a table, what is unpaid, whose, who and when.

    python benchmarks/own_files.py                              # twenty questions, English and Chinese; 20 minutes
    python benchmarks/own_files.py --arms "secretary,secretary without rows,sliding-window"
    python benchmarks/own_files.py --shared                     # all questions of a language in one memory, a chat each
    python benchmarks/own_files.py --report                     # the table of what has been run

Every run is kept in benchmarks/out/own_files.jsonl and never made twice, so the command can be stopped and started
again. An answer is right that has all that the question's entry in own_files.json wants, and nothing that it rules out.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.arms import OURS, run_arm
from memory_secretary.graph.toolset import tools_for
from memory_secretary.memory import TieredMemory
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.resolve import resolve_model

FOLDERS: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
OUT = Path(__file__).parent / "out" / "own_files.jsonl"
WINDOW, STEPS = 4096, 24


def main() -> None:
    options = parsed()
    found = rows(options.out)
    if not options.report:
        handle = resolve_model(options.executor, window=WINDOW)
        try:
            for arm, lang, number in wanted(options):
                key = {"arm": arm, "lang": lang, "number": number, "shared": options.shared}
                if not any(key.items() <= row.items() for row in found):
                    found.append(keep(options.out, key, handle))
        finally:
            handle.close()
    print(table([row for row in found if row["shared"] == options.shared]))


def wanted(options: argparse.Namespace) -> Iterator[tuple[str, str, int]]:
    for lang in options.lang.split(","):
        for number in range(len(FOLDERS[lang]["questions"])):
            for arm in options.arms.split(","):
                yield arm, lang, number


def keep(path: Path, key: dict[str, Any], handle: ModelHandle) -> dict[str, Any]:
    """Ask one question in one arm, over a fresh copy of the files; the row is kept.

    The memory is empty, or that of all questions of the arm and language, each in a thread of its own.
    """
    folder = FOLDERS[key["lang"]]
    question = folder["questions"][key["number"]]
    settings = Settings(executor_window=WINDOW, secretary_window=WINDOW, max_steps=STEPS, user_id="benchmark")
    with tempfile.TemporaryDirectory() as place:
        workspace = Path(place) / "workspace"
        common = path.parent / "own_files_memory" / f"{key['arm']}-{key['lang']}"
        memory = common if key["shared"] else Path(place) / "memory"
        for name, text in folder["files"].items():
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text(text, "utf-8")
        result = run_arm(
            key["arm"],
            [(f"question {key['number']}", question["ask"])],
            executor=handle,
            tools=tools_for(workspace),
            settings=settings,
            open_memory=lambda: TieredMemory.open(memory),
        )
    row = {**key, "right": is_right(result.answer, question), **result.as_dict()}
    print(
        f"{row['arm']}, {row['lang']} {row['number']}: {'right' if row['right'] else 'wrong'} · {result.answer}",
        flush=True,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return row


def is_right(answer: str, question: Mapping[str, Any]) -> bool:
    """Whether an answer has all that is wanted (``a|b`` for either), as words and numbers of its own, and no more."""
    return all(stands(each, answer) for each in question["has"]) and not any(
        stands(each, answer) for each in question.get("not", ())
    )


def stands(wanted_text: str, answer: str) -> bool:
    either = "|".join(re.escape(part) for part in wanted_text.split("|"))
    return re.search(rf"(?<![\d.,])(?:{either})0?(?![\d]|[.,][1-9])", answer, re.IGNORECASE) is not None


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def table(found: Sequence[Mapping[str, Any]]) -> str:
    lines = ["| arm | en | zh | all | steps | prompt tokens |", "|---|---|---|---|---|---|"]
    for arm in dict.fromkeys(row["arm"] for row in found):
        group = [row for row in found if row["arm"] == arm]
        parts = [[row for row in group if row["lang"] in langs] for langs in (("en",), ("zh",), ("en", "zh"))]
        right = " | ".join(f"{sum(row['right'] for row in part)} of {len(part)}" for part in parts)
        means = [sum(row[name] for row in group) / len(group) for name in ("steps", "prompt_tokens")]
        lines.append(f"| {arm} | {right} | {means[0]:.1f} | {means[1]:,.0f} |")
    return "\n".join(lines)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", default=OURS, help=f"{OURS}, {OURS} without NAME, sliding-window, rolling-summary")
    parser.add_argument("--lang", default="en,zh")
    parser.add_argument("--executor", default="embedded")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--shared", action="store_true", help="one memory for all questions of an arm and language")
    parser.add_argument("--report", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
