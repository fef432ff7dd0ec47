"""What the command line remembers of a run beside the ledger: how it was started, so that it can be continued."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from memory_secretary.graph.words import Lang
from memory_secretary.memory.errors import InvalidRecord
from memory_secretary.memory.masking import mask_data


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """How one run was started. What has become of it stands in the ledger.

    Attributes:
        thread: the thread's id.
        user: whose memory it uses.
        goal: the task, word for word, with any secret masked in the file.
        workspace: the folder that the tools see, absolute.
        executor: the executor's model, as ``build_graph`` takes it.
        secretary: the secretary's model; None means the executor's.
        window: the executor's window in tokens; None means the settings' own.
        max_steps: the step limit; None means the settings' own.
        lang: the language of the task and of the view; None means that the settings decide.
        seed: the example variant, or None for a task of the user's own.
    """

    thread: str
    user: str
    goal: str
    workspace: str
    executor: str = "embedded"
    secretary: str | None = None
    window: int | None = None
    max_steps: int | None = None
    lang: Lang | None = None
    seed: int | None = None


def run_folder(memory: Path, user: str, thread: str) -> Path:
    """The folder of a run's record and of its workspace, when it has one of its own; any id makes a usable name."""
    return memory / "runs" / hashlib.sha256(f"{user}\0{thread}".encode()).hexdigest()[:16]


def save(memory: Path, record: RunRecord) -> None:
    """Write the record whole or not at all."""
    path = run_folder(memory, record.user, record.thread) / "run.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(mask_data(asdict(record)), ensure_ascii=False, indent=1), "utf-8")
    draft.replace(path)


def find(memory: Path, user: str, thread: str) -> RunRecord | None:
    """The record of ``thread``, or None when the command line has not started it.

    Raises:
        InvalidRecord: it cannot be read.
    """
    path = run_folder(memory, user, thread) / "run.json"
    if not path.exists():
        return None
    try:
        return RunRecord(**json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError) as error:
        msg = f"{path} is not a run's record ({error}); delete that file, the memory itself is not touched by it"
        zh = f"{path} 不是一次运行的记录（{error}）；请删除该文件，记忆本身不受影响"
        raise InvalidRecord(msg, zh=zh) from error
