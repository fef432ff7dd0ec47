"""Files of one folder as tools: list, read, search, write."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from langchain_core.tools import BaseTool, StructuredTool

from memory_secretary.memory.bilingual import said, spoken
from memory_secretary.tools.effects import Effect, mark
from memory_secretary.tools.nearest import nearest_files
from memory_secretary.tools.refusal import told
from memory_secretary.tools.sandbox import MissingFolder, OutsidePath, Sandbox, WorkspaceError

MAX_LISTED = 500
"""Names in one listing; more are counted."""
MAX_MATCHES = 40
"""Lines in one search result; more are counted."""
MAX_FILES = 3
"""Files whose matching lines one search shows."""
MAX_NAMED = 20
"""Files that are named where a search finds nothing."""
MAX_NEAREST = 12
"""Files that are named where a search finds its words, but not together."""
MAX_LINE = 240
"""Characters shown of one matching line."""


def workspace_tools(root: Path) -> list[BaseTool]:
    """``list_files``, ``read_file``, ``search_files`` and ``write_file`` over one folder.

    Args:
        root: an existing folder; nothing outside it can be reached.

    Raises:
        WorkspaceError: ``root`` is no folder.
    """
    box = Sandbox(root)

    def list_files(folder: str = ".") -> str:
        """List all files below a folder."""
        return listing(box, folder)

    def read_file(path: str) -> str:
        """Read one file."""
        return box.text(box.file(path))

    def search_files(text: str, folder: str = ".") -> str:
        """Find a text: the lines that contain it, or only the files where many do or where its words stand apart."""
        return matches(box, text, folder)

    def write_file(path: str, content: str) -> str:
        """Write a text file; an existing one is replaced."""
        return write(box, path, content)

    effects = (
        (list_files, Effect.READ_ONLY),
        (read_file, Effect.READ_ONLY),
        (search_files, Effect.READ_ONLY),
        (write_file, Effect.IDEMPOTENT_WRITE),
    )
    return [mark(StructuredTool.from_function(job, handle_tool_error=told), effect) for job, effect in effects]


def listing(box: Sandbox, folder: str) -> str:
    """The files below ``folder``, one path a line; an empty folder is said to be empty."""
    files, head = _below(box, folder)
    if not files:
        return said(f'The folder "{folder}" is empty.', f"文件夹“{folder}”是空的。")
    rest = said("… and {} more files; name a folder to see them.", "……还有 {} 个文件；请指定文件夹查看。")
    return head + _bounded([box.name(path) for path in files], MAX_LISTED, rest)


def _below(box: Sandbox, folder: str) -> tuple[list[Path], str]:
    """The files below ``folder``; below all where it is missing or outside, and a first line that says so.

    A small model that is only told that there is no such folder asks for it again.
    """
    try:
        return box.files(box.folder(folder)), ""
    except (MissingFolder, OutsidePath) as error:
        everywhere = said(" This is of all files:", "以下针对全部文件：")
        return box.files(box.root), f"{error.sentence(spoken())}{everywhere}\n"


def matches(box: Sandbox, text: str, folder: str) -> str:
    """The lines below ``folder`` that contain ``text``, whatever its case; of many files only the names.

    Raises:
        WorkspaceError: ``text`` is empty, or ``folder`` is a file.
    """
    wanted = text.strip().casefold()
    if not wanted:
        msg = "The text to search for is empty; give a word that stands in the files."
        raise WorkspaceError(msg, zh="要查找的文字是空的；请给出文件里出现的词。")
    files, head = _below(box, folder)
    found = {name: lines for name, content in box.texts(files) if (lines := _matching(name, content, wanted))}
    if len(found) > MAX_FILES:
        return head + _by_file({name: len(lines) for name, lines in found.items()})
    lines = [line for each in found.values() for line in each]
    if not lines:
        names = list(map(box.name, files))
        return head + _nothing(text.strip(), names, _nearest(box, wanted, files))
    rest = said(
        "… and {} more lines; search for a longer text or in one folder.",
        "……还有 {} 行；请查找更长的文字，或只在一个文件夹里找。",
    )
    return head + _bounded(lines, MAX_MATCHES, rest)


def _nearest(box: Sandbox, wanted: str, files: Sequence[Path]) -> list[str]:
    """The files that hold most of a search's words; of the whole workspace where the folder has none."""
    if near := nearest_files(wanted, box.texts(files), MAX_NEAREST):
        return near
    everywhere = box.files(box.root)
    return nearest_files(wanted, box.texts(everywhere), MAX_NEAREST) if len(everywhere) > len(files) else []


def _nothing(text: str, names: Sequence[str], nearest: Sequence[str]) -> str:
    """That no line contains the text; which files have most of its words, else what there is, where that is little."""
    nothing = said(f'No line contains "{text}".', f"没有一行含有“{text}”。")
    if nearest:
        return "\n".join([nothing + said(" Its words stand apart in:", "其中的词分散见于："), *nearest])
    if len(names) > MAX_NAMED:
        return nothing + said(
            " Search for one word, or see what there is with list_files.",
            "请只查一个词，或用 list_files 查看有哪些文件。",
        )
    if not names:
        return nothing
    head = said(" These are the files; read those that matter:", "文件有这些；请读取其中要紧的：")
    return "\n".join([nothing + head, *names])


def _by_file(counts: Mapping[str, int]) -> str:
    """In which files a text stands: lines of all of them would be more than a small window holds."""
    head = said("It stands in {} files; read those that matter:", "有 {} 个文件提到它；请读取其中要紧的：").format(
        len(counts)
    )
    rest = said("… and {} more files; search for a longer text.", "……还有 {} 个文件；请查找更长的文字。")
    lines = said("{} ({} lines)", "{}（{} 行）")
    return f"{head}\n{_bounded([lines.format(name, n) for name, n in counts.items()], MAX_LISTED, rest)}"


def write(box: Sandbox, name: str, content: str) -> str:
    """Write ``content`` as UTF-8, whole or not at all, and say where.

    Raises:
        WorkspaceError: the name is no file inside the workspace, or the system refuses it.
    """
    path = box.place(name)
    if path.is_dir():
        msg = f'"{name}" is a folder; give the path of a file.'
        raise WorkspaceError(msg, zh=f"“{name}”是文件夹；请给出文件的路径。")
    existed = path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, content.encode("utf-8"))
    except (OSError, UnicodeEncodeError) as error:
        msg = f'"{name}" cannot be written ({error}); try another path or plain text.'
        raise WorkspaceError(msg, zh=f"“{name}”无法写入（{error}）；请换一个路径或改用纯文本。") from error
    size = len(content)
    return said(
        f"{'Replaced' if existed else 'Wrote'} {box.name(path)} ({size} characters).",
        f"已{'替换' if existed else '写入'} {box.name(path)}（{size} 个字符）。",
    )


def _replace(path: Path, data: bytes) -> None:
    """Through a neighbour file, so that a reader sees the old text or the new one and never half of it."""
    handle, name = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        draft.chmod(0o644)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _matching(name: str, text: str, wanted: str) -> list[str]:
    rows = enumerate(text.splitlines(), start=1)
    return [f"{name}:{number}: {_clipped(row, wanted)}" for number, row in rows if wanted in row.casefold()]


def _clipped(row: str, wanted: str) -> str:
    row = row.strip()
    if len(row) <= MAX_LINE:
        return row
    start = max(0, row.casefold().find(wanted) - MAX_LINE // 3)
    end = start + MAX_LINE
    return f"{'…' if start else ''}{row[start:end]}{'…' if end < len(row) else ''}"


def _bounded(lines: list[str], limit: int, rest: str) -> str:
    left = len(lines) - limit
    return "\n".join(lines[:limit] + ([rest.format(left)] if left > 0 else []))
