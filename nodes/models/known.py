"""What was found out about servers, kept in a file so that the next process need not ask again."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from memory_secretary.memory.clock import Clock, system_clock
from memory_secretary.nodes.models.dialect import Dialect

logger = logging.getLogger(__name__)

VERSION = 1
"""Of the file; raised when the probe or :class:`Dialect` changes, so that everything is found out anew."""

KEPT = timedelta(days=7)
"""How long a finding counts: servers are updated, and may then be able to do more."""

_LOCK_SECONDS = 2.0
_dialect = TypeAdapter(Dialect)


class KnownDialects:
    """Dialects by server and model, in one small JSON file. A file that cannot be used costs a probe, never a run.

    Args:
        file: where they are kept; made when the first is remembered.
        clock: tells when a finding has become too old.
    """

    def __init__(self, file: Path, *, clock: Clock = system_clock) -> None:
        self._file = file
        self._clock = clock

    def get(self, server: str, model: str) -> Dialect | None:
        """What was found out about ``model`` on ``server`` in the last :data:`KEPT`."""
        entry = self._entries().get(_key(server, model))
        if not isinstance(entry, Mapping):
            return None
        try:
            found = datetime.fromisoformat(str(entry.get("found")))
            dialect = _dialect.validate_python(entry.get("dialect"))
            fresh = timedelta(0) <= self._clock() - found < KEPT
        except (ValidationError, ValueError, TypeError) as error:
            self._unusable(error)
            return None
        return dialect if fresh else None

    def put(self, server: str, model: str, dialect: Dialect) -> None:
        """Remember ``dialect``; the findings of other processes stay."""
        self._change(_key(server, model), {"found": self._clock().isoformat(), "dialect": asdict(dialect)})

    def drop(self, server: str, model: str) -> None:
        """Forget what was found out about ``model`` on ``server``."""
        self._change(_key(server, model), None)

    def _change(self, key: str, entry: Mapping[str, Any] | None) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._file}.lock", timeout=_LOCK_SECONDS):
                others = {name: kept for name, kept in self._entries().items() if name != key}
                self._write(others if entry is None else {**others, key: entry})
        except OSError as error:  # a read-only or full disk; filelock's timeout is one too
            self._unusable(error)

    def _write(self, entries: Mapping[str, Any]) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps({"version": VERSION, "servers": entries}, indent=1), encoding="utf-8")
        new.replace(self._file)

    def _entries(self) -> Mapping[str, Any]:
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
            servers = data["servers"] if data["version"] == VERSION else {}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            self._unusable(error)
            return {}
        return servers if isinstance(servers, Mapping) else {}

    def _unusable(self, error: Exception) -> None:
        logger.warning("what is known of model servers cannot be used, they are asked again: %s: %s", self._file, error)


def _key(server: str, model: str) -> str:
    """A short name that shows neither address nor anything secret that may stand in it."""
    return hashlib.sha256(f"{server}\n{model}".encode()).hexdigest()[:16]
