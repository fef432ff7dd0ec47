"""A folder that tools may look into and never out of: names to paths, bytes to text."""

from __future__ import annotations

import codecs
import contextlib
import difflib
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from memory_secretary.memory.ledger import LEDGER_FILE
from memory_secretary.tools.nearest import nearest_files
from memory_secretary.tools.refusal import Refusal

MAX_BYTES = 20_000_000
"""Largest file that is read whole, in bytes; it bounds memory, not the prompt."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its prefix
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


class WorkspaceError(Refusal):
    """A call on the workspace cannot be served; the sentence says what to call instead."""


class OutsidePath(WorkspaceError):
    """A path cannot lie in the workspace."""


class MissingFolder(WorkspaceError):
    """There is no folder of that name."""


def decode(data: bytes, name: str) -> str:
    """Bytes as text: a byte order mark decides, then UTF-8, then GB18030, then Windows-1252.

    Raises:
        WorkspaceError: the bytes are no text.
    """
    encoding = next((label for mark, label in _BOMS if data.startswith(mark)), None)
    try:
        text = data.decode(encoding) if encoding else _guess(data)
    except UnicodeDecodeError:
        text = "\x00"
    if _CONTROL.search(text) or data.startswith(b"%PDF-"):
        msg = f'"{name}" is not a text file, so it cannot be read; list_files shows the others.'
        raise WorkspaceError(msg, zh=f"“{name}”不是文本文件，无法读取；可用 list_files 查看其他文件。")
    return text


def _guess(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _legacy(data)


def _legacy(data: bytes) -> str:
    """Old Chinese text is nearly all GB2312; Western text read as GB18030 gives rare characters instead."""
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
    wide = [char for char in text if ord(char) > 127]
    common = sum(bool(char.encode("gb2312", errors="ignore")) for char in wide)
    return text if common >= 0.7 * len(wide) else data.decode("cp1252", errors="replace")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


class Sandbox:
    """One folder and what lies in it. Hidden files, a memory, and links that lead out do not exist for it."""

    def __init__(self, root: Path) -> None:
        """Take a folder that exists.

        Raises:
            WorkspaceError: there is no such folder.
        """
        if not root.is_dir():
            msg = f"the workspace {root} is not a folder; create it or name another one"
            raise WorkspaceError(msg, zh=f"工作区 {root} 不是文件夹；请创建它或另指定一个")
        self.root = root.resolve()

    def place(self, name: str) -> Path:
        """Where ``name`` (relative, parted by slashes of either kind) lies, whether or not it exists.

        Raises:
            OutsidePath: the name is absolute, unusable, or leads out of the folder.
        """
        plain = name.strip().replace("\\", "/")
        if "\x00" in plain or plain.startswith(("/", "~")) or re.match(r"[A-Za-z]:", plain):
            msg = f'"{name}" is not a path inside the workspace; give a relative one such as {self._sample()}.'
            zh = f"“{name}”不是工作区内的路径；请给出相对路径，例如 {self._sample()}。"
            raise OutsidePath(msg, zh=zh)
        path = self._resolved(plain)
        if not path.is_relative_to(self.root):
            msg = f'"{name}" leads out of the workspace; give a path inside it such as {self._sample()}.'
            zh = f"“{name}”超出了工作区；请给出其中的路径，例如 {self._sample()}。"
            raise OutsidePath(msg, zh=zh)
        if any(_is_memory(parent) for parent in (path, *path.parents) if self.root in parent.parents):
            msg = f'"{name}" belongs to the memory, which no tool opens; give another path such as {self._sample()}.'
            raise OutsidePath(msg, zh=f"“{name}”属于记忆库，工具不能打开；请给出别的路径，例如 {self._sample()}。")
        return path

    def file(self, name: str) -> Path:
        """The existing file ``name``; another Unicode spelling of the same name is found too.

        Raises:
            WorkspaceError: there is none; the sentence names close matches.
        """
        path = self.place(name)
        if path.is_dir():
            msg = f'"{name}" is a folder; call list_files with folder="{self.name(path)}".'
            zh = f'“{name}”是文件夹；请调用 list_files，folder="{self.name(path)}"。'
            raise WorkspaceError(msg, zh=zh)
        return path if path.is_file() else self._twin(path, name)

    def folder(self, name: str) -> Path:
        """The existing folder ``name``; an empty name is the workspace itself.

        Raises:
            MissingFolder: there is none; the sentence names those there are, close matches first.
            WorkspaceError: it is a file, or lies outside.
        """
        path = self.place(name or ".")
        if path.is_dir():
            return path
        if path.is_file():
            msg = f'"{name}" is a file; call read_file with path="{self.name(path)}".'
            zh = f'“{name}”是文件；请调用 read_file，path="{self.name(path)}"。'
            raise WorkspaceError(msg, zh=zh)
        known = sorted({self.name(file.parent) for file in self.files(self.root)} - {"."})
        shown = list(dict.fromkeys([*_close(name, known), *known]))[:_FEW]
        there, there_zh = (
            f" There are: {', '.join(shown)}." if shown else "",
            f"有：{'、'.join(shown)}。" if shown else "",
        )
        raise MissingFolder(f'There is no folder "{name}".{there}', zh=f"没有文件夹“{name}”。{there_zh}")

    def files(self, folder: Path) -> list[Path]:
        """Every file below ``folder``, sorted by path, without hidden ones and without links that lead out."""
        found: list[Path] = []
        for parent, folders, names in os.walk(folder, followlinks=False):
            folders[:] = [name for name in folders if not name.startswith(".") and not _is_memory(Path(parent, name))]
            found += [Path(parent, name) for name in names if not name.startswith(".")]
        return sorted(path for path in found if path.is_file() and path.resolve().is_relative_to(self.root))

    def name(self, path: Path) -> str:
        """How ``path`` is called by the tools: relative to the folder, with ``/``."""
        return path.relative_to(self.root).as_posix()

    def text(self, path: Path) -> str:
        """The whole text of a file.

        Raises:
            WorkspaceError: it is no text, too large, or the system refuses it.
        """
        name = self.name(path)
        try:
            if path.stat().st_size > MAX_BYTES:
                msg = f'"{name}" is larger than {MAX_BYTES:,} bytes; read another file.'
                raise WorkspaceError(msg, zh=f"“{name}”超过 {MAX_BYTES:,} 字节；请读别的文件。")
            return decode(path.read_bytes(), name)
        except OSError as error:
            msg = f'"{name}" cannot be read ({error.strerror}); read another file.'
            raise WorkspaceError(msg, zh=f"“{name}”无法读取（{error.strerror}）；请读别的文件。") from error

    def _resolved(self, plain: str) -> Path:
        try:
            return (self.root / plain).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # links in a circle, unusable characters
            msg = f'"{plain}" cannot be used as a path; give one such as {self._sample()}.'
            raise WorkspaceError(msg, zh=f"“{plain}”不能用作路径；请给出例如 {self._sample()}。") from error

    def _twin(self, path: Path, name: str) -> Path:
        known = {self.name(file): file for file in self.files(self.root)}
        wanted = unicodedata.normalize("NFC", self.name(path))
        for label, file in known.items():
            if unicodedata.normalize("NFC", label) == wanted:
                return file
        near = _close(name, list(known)) or self._about(name)
        msg = f'There is no file "{name}".{_hint(near)}'
        raise WorkspaceError(msg, zh=f"没有文件“{name}”。{_hint_zh(near)}")

    def texts(self, files: Iterable[Path]) -> Iterator[tuple[str, str]]:
        """Names and texts, one after the other; a picture among the texts has none to offer."""
        for path in files:
            with contextlib.suppress(WorkspaceError):
                yield self.name(path), self.text(path)

    def _about(self, name: str) -> list[str]:
        """The files that hold most of the words of a name that stands for none: a small model makes names up."""
        return nearest_files(Path(name).stem, self.texts(self.files(self.root)), _FEW)

    def _sample(self) -> str:
        files = self.files(self.root)
        return f'"{self.name(files[0])}"' if files else '"notes.txt"'


def _is_memory(folder: Path) -> bool:
    """Whether a memory is kept in a folder: what was said must not be taken for a file's words, nor written over."""
    return (folder / LEDGER_FILE).exists()


_FEW = 8
"""Names that are told where there is none of that name."""


def _close(name: str, known: list[str]) -> list[str]:
    """The names that look like ``name`` in whole or in their last part."""
    by_fold = {_folded(label): label for label in known}
    wanted = _folded(name.strip().replace("\\", "/").removeprefix("./"))
    tail = wanted.rsplit("/", 1)[-1]
    same_tail = [fold for fold in by_fold if fold.rsplit("/", 1)[-1] == tail]
    near = same_tail + difflib.get_close_matches(wanted, list(by_fold), n=3, cutoff=0.5)
    return list(dict.fromkeys(by_fold[fold] for fold in near))[:3]


def _hint(near: list[str]) -> str:
    return f" Close: {', '.join(near)}." if near else " list_files shows what there is."


def _hint_zh(near: list[str]) -> str:
    return f"相近的有：{'、'.join(near)}。" if near else "可用 list_files 查看有哪些。"
