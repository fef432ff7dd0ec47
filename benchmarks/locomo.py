"""Turn LoCoMo's published JSON (github.com/snap-research/locomo) into the form that benchmarks/recall.py reads.

    python benchmarks/locomo.py locomo10.json > locomo.jsonl      # or the single conversations: 26.json 30.json …

Kept are the questions of categories 1 to 4 that name evidence: 1,536 of them, over 10 conversations and 5,882 turns. A
shared photo stands in its turn's text by its published caption. The data is not part of this repository.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""By the numbers in the published file; 5 (adversarial) has no answer in the conversation."""

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
"""Some ids of the published evidence are written ``D:11:26`` or ``D30:05``, several in one string."""


def main() -> None:
    for path in map(Path, sys.argv[1:]):
        data = json.loads(path.read_text("utf-8"))
        for number, sample in enumerate(data if isinstance(data, list) else [data], start=1):
            for record in records(sample, sample.get("sample_id", f"{path.stem}-{number}")):
                print(json.dumps(record, ensure_ascii=False))


def records(sample: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """A conversation's turns and then its questions."""
    conversation = sample.get("conversation", sample)
    found = list(turns(conversation, name))
    known = {turn["id"] for turn in found}
    yield from found
    for question in sample["qa"]:
        evidence = [ref for text in question.get("evidence") or () for ref in refs(text) if ref in known]
        if question["category"] in CATEGORIES and evidence:
            yield {
                "kind": "question",
                "conversation": name,
                "category": CATEGORIES[question["category"]],
                "text": question["question"],
                "evidence": list(dict.fromkeys(evidence)),
            }


def turns(conversation: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """Each session is a thread; its turns follow one second apart, since only the session is dated."""
    for key, session in conversation.items():
        if (match := _SESSION.fullmatch(key)) is None:
            continue
        began = moment(conversation[f"{key}_date_time"])
        for second, turn in enumerate(session):
            yield {
                "kind": "turn",
                "conversation": name,
                "id": turn["dia_id"],
                "thread": match[1],
                "at": (began + timedelta(seconds=second)).isoformat(),
                "speaker": turn["speaker"],
                "text": said(turn),
            }


def moment(text: str) -> datetime:
    """``1:56 pm on 8 May, 2023``; the file names no time zone."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def said(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [photo: {caption}]".strip() if caption else turn["text"]


def refs(text: str) -> list[str]:
    return [f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(text)]


if __name__ == "__main__":
    main()
