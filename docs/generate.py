"""Fills the generated parts of README and docs in: picture, settings, measured figures, sizes, sentences of faults.

    python docs/generate.py

A part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``; a test compares each with what the code gives.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

from langchain_core.language_models import FakeListChatModel
from sqlalchemy.exc import OperationalError

from memory_secretary.graph import Settings, build_graph
from memory_secretary.graph.doctor.words import size
from memory_secretary.graph.settings import from_environment
from memory_secretary.memory import TieredMemory
from memory_secretary.memory.addresses import checked_url
from memory_secretary.memory.errors import MemorySecretaryError
from memory_secretary.memory.server_errors import broken_reply, cut_prompt, missing_model
from memory_secretary.memory.server_sentences import (
    BUSY_NOW,
    DOWN,
    ELSEWHERE,
    LATE,
    LOADING,
    SPENT,
    TOO_LONG,
    WRONG_KEY,
)
from memory_secretary.memory.storage_errors import demand_sqlite, folder_error, named_errors
from memory_secretary.nodes.models.catalogue import Listed, token_bytes
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.tools.registry import as_tools

ROOT = Path(__file__).resolve().parent.parent
PAGES = (*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").glob("*.md")))

Lang = Literal["en", "zh"]
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def language_of(page: Path) -> Lang:
    """A page's language, by its name."""
    return "zh" if page.name.endswith(".zh-CN.md") else "en"


def filled(text: str, lang: Lang) -> str:
    """A page's text with its generated parts as the code gives them now."""
    return _PART.sub(lambda part: f"{part[1]}{PARTS[part[2]](lang)}\n{part[3]}", text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; what would end a cell or begin a tag is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(re.sub(r"[|<]", r"\\\g<0>", cell) for cell in line) + " |" for line in lines)


# --- the graph and its settings --------------------------------------------------------------------------------------


def picture(_lang: Lang) -> str:
    """The secretary graph as Mermaid draws it."""
    with TieredMemory.open(":memory:", embedder=None) as memory:
        graph = build_graph(FakeListChatModel(responses=[""]), memory=memory, settings=Settings())
        return f"```mermaid\n{graph.get_graph().draw_mermaid().strip()}\n```"


def settings_table(lang: Lang) -> str:
    """Every setting with its default and its description."""
    key, head = ("description", ("setting", "default", "what it is"))
    if lang == "zh":
        key, head = ("zh", ("设置", "默认值", "含义"))
    return table(
        head, ((f"`{entry.name}`", _default(entry.default, lang), entry.metadata[key]) for entry in fields(Settings))
    )


def _default(value: Any, lang: Lang) -> str:
    if isinstance(value, bool):
        return {"en": ("off", "on"), "zh": ("关", "开")}[lang][value]
    return "–" if value is None else str(value)


# --- measured figures -------------------------------------------------------------------------------------------------

_ARMS = {"secretary": "有秘书", "sliding-window": "滑动窗口"}
_ROW = re.compile(r"^\| (secretary|sliding-window) \| (\d+) of (\d+) \|", re.MULTILINE)


def figures(lang: Lang) -> str:
    """How many answers were right, as the results' table of the example task has it."""
    _, _, section = (ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8").partition("## On and off: the example task")
    found = sorted(_ROW.findall(section.partition("\n## ")[0]))
    if lang == "zh":
        return f"**{'，'.join(f'{_ARMS[arm]} {right}/{runs}' for arm, right, runs in found)}**。"
    return f"**{', '.join(f'{arm} {right} of {runs}' for arm, right, runs in found)}**."


# --- memory of the card ----------------------------------------------------------------------------------------------

_MODELS: Mapping[str, tuple[float, int, int, int]] = {
    "qwen2.5:3b": (1.9, 36, 2, 128),
    "qwen2.5:7b": (4.7, 28, 4, 128),
    "llama3.1:8b": (4.9, 32, 8, 128),
    "qwen3:8b": (5.2, 36, 8, 128),
}
"""Gigabytes of the 4-bit file that Ollama pulls under this name, and from the model's published configuration its
layers, key-value heads and the size of a head."""

_WINDOWS = (4096, 8192, 16384, 32768)


def memory_table(lang: Lang) -> str:
    """Gigabytes of weights and context for some models and windows, by the formula that the inventory uses."""
    head = ("model", "weights", *(f"window {window:,}" for window in _WINDOWS))
    if lang == "zh":
        head = ("模型", "权重", *(f"窗口 {window:,}" for window in _WINDOWS))
    return table(head, (_needs(name, *shape) for name, shape in _MODELS.items()))


def _needs(name: str, gigabytes: float, layers: int, heads: int, width: int) -> list[str]:
    info = {
        "general.architecture": "any",
        "any.block_count": layers,
        "any.attention.head_count_kv": heads,
        "any.attention.key_length": width,
    }
    model = Listed(name, size=round(gigabytes * 1e9), token_bytes=token_bytes(info))
    return [f"`{name}`", size(model.size or 0), *(size(model.memory(window) or 0) for window in _WINDOWS)]


# --- faults ----------------------------------------------------------------------------------------------------------

_OLLAMA, _MODEL = "Ollama at http://127.0.0.1:11434", "qwen2.5:7b"
_LOCAL, _HOSTED = "the server at http://127.0.0.1:8080", "the server at https://api.deepseek.com"
_FOLDER = Path("/data/memory")


def get_weather(city: str) -> str:  # noqa: D103 - that is its fault
    return city


def _cut() -> MemorySecretaryError:
    return cut_prompt(_OLLAMA, _MODEL, read=2048, least=3600, window=4096)


def _read_only() -> MemorySecretaryError:
    return folder_error(_FOLDER, OSError(errno.EROFS, "Read-only file system"))


def _ledger_fails(reason: str) -> None:
    with named_errors(_FOLDER / "ledger.db"):
        raise OperationalError("", {}, sqlite3.OperationalError(reason))


_FAULTS: Sequence[tuple[str, str, Callable[[], Any]]] = (
    ("the server is off", "服务没有启动", lambda: DOWN.error(_OLLAMA, _MODEL)),
    ("the model was not pulled", "模型没有下载", lambda: missing_model(_OLLAMA, _MODEL)),
    ("a wrong address", "地址不对", lambda: ELSEWHERE.error(_LOCAL, _MODEL, "404")),
    ("something that is no address", "写的不是地址", lambda: checked_url("127.0.0.1 8080")),
    ("no key and no address", "既无密钥也无地址", lambda: resolve_model("openai:m", window=4096)),
    ("a wrong key", "密钥不对", lambda: WRONG_KEY.error(_HOSTED, "m", "401")),
    ("nothing left to spend", "余额用完", lambda: SPENT.error(_HOSTED, "m", "402")),
    ("too many requests", "请求太多", lambda: BUSY_NOW.error(_HOSTED, "m", "429")),
    ("the model is still loading", "模型还在加载", lambda: LOADING.error(_LOCAL, "m")),
    ("no answer in time", "没有按时回答", lambda: LATE.error(_OLLAMA, _MODEL)),
    ("a reply that breaks off", "答到一半中断", lambda: broken_reply(_OLLAMA, _MODEL)),
    ("a prompt cut in silence", "提示词被悄悄截断", _cut),
    ("a prompt refused as too long", "提示词过长被拒", lambda: TOO_LONG.error(_OLLAMA, _MODEL, "400")),
    ("a model of no known kind", "不认识的模型写法", lambda: resolve_model("gpt-5", window=4096)),
    ("a read-only folder", "只读的文件夹", _read_only),
    ("a full disk", "磁盘已满", lambda: _ledger_fails("database or disk is full")),
    ("a damaged file", "文件损坏", lambda: _ledger_fails("database disk image is malformed")),
    ("a Python with an old SQLite", "SQLite 太旧的 Python", lambda: demand_sqlite((3, 31, 1))),
    ("a switch that is neither", "开关写错", lambda: from_environment({"MEMORY_SECRETARY_GATE": "perhaps"})),
    ("a number out of range", "数值超出范围", lambda: Settings(executor_window=12)),
    ("a tool without a docstring", "工具没有文档字符串", lambda: as_tools([get_weather])),
)  # fmt: skip
"""What happened, in both languages, and something that gives or raises its error."""


def fault_table(lang: Lang) -> str:
    """What each fault says, as the package itself says it."""
    head = ("fault", "sentence") if lang == "en" else ("故障", "提示")
    with patch.dict(os.environ, {}, clear=True):
        return table(head, ((zh if lang == "zh" else en, _sentence(fault, lang)) for en, zh, fault in _FAULTS))


def _sentence(fault: Callable[[], Any], lang: Lang) -> str:
    try:
        error = fault()
    except MemorySecretaryError as raised:
        error = raised
    return str(error.sentence(lang)).strip()


PARTS: Mapping[str, Callable[[Lang], str]] = {
    "graph": picture,
    "settings": settings_table,
    "figures": figures,
    "memory": memory_table,
    "faults": fault_table,
}


def main() -> None:
    """Write every page anew."""
    for page in PAGES:
        page.write_text(filled(page.read_text("utf-8"), language_of(page)), "utf-8")


if __name__ == "__main__":
    main()
