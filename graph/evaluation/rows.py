"""Runs that were made, one JSON object a line, so that a comparison can be stopped anywhere and gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

from memory_secretary.memory.errors import InvalidRecord


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, none where there is no file; a last line that was not written to its end is left out.

    Raises:
        InvalidRecord: another line cannot be read.
    """
    lines = path.read_text("utf-8").rstrip("\n").split("\n") if path.exists() and path.stat().st_size else []
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(dict(json.loads(line)))
        except (ValueError, TypeError) as error:
            if number < len(lines):
                raise _damaged(path, number) from error
    return rows


def append_row(path: Path, row: dict[str, Any]) -> None:
    """Write one row to the end of a file; its folder is made, and a line that was broken off there is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        _end_line(file)
        file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def _end_line(file: IO[bytes]) -> None:
    file.seek(0)
    before, _, last = file.read().rpartition(b"\n")
    try:
        file.write(b"\n" if last and json.loads(last) else b"")
    except ValueError:
        file.truncate(len(before) + bool(before))


def _damaged(path: Path, number: int) -> InvalidRecord:
    msg = f"line {number} of {path} is no run: delete that line, or name another folder"
    return InvalidRecord(msg, zh=f"{path} 的第 {number} 行不是一次运行的记录：请删除该行，或另指定一个文件夹")
