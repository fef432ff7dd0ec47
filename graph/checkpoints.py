"""Checkpointers that keep no secrets, and one for scripts and the command line that works in sync and in async runs."""

from __future__ import annotations

import asyncio
import copy
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Interrupt

from memory_secretary.memory.database import connect_for_reading
from memory_secretary.memory.errors import StorageError
from memory_secretary.memory.masking import mask_data

_MESSAGE_PARTS = ("content", "additional_kwargs", "response_metadata", "tool_calls", "invalid_tool_calls", "artifact")


class MaskingSaver(BaseCheckpointSaver[Any]):
    """Masks secrets in whatever a checkpointer is given to write; to be named before that checkpointer's class.

    LangGraph writes a caller's input down before any node has seen it, so only the checkpointer can keep it out. A run
    goes on with what it holds in its own memory: a tool gets the password that the user just gave. Whoever goes on
    from the checkpoint finds the mark.
    """

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As the checkpointer does, without the secrets."""
        return super().put(config, _masked(checkpoint), metadata, new_versions)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As the checkpointer does, without the secrets."""
        return await super().aput(config, _masked(checkpoint), metadata, new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """As the checkpointer does, without the secrets."""
        super().put_writes(config, _masked_writes(writes), task_id, task_path)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """As the checkpointer does, without the secrets."""
        await super().aput_writes(config, _masked_writes(writes), task_id, task_path)


class SyncAsyncSqliteSaver(MaskingSaver, SqliteSaver):
    """LangGraph's SQLite saver, without secrets, whose async methods run the sync ones in a thread."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As ``get_tuple``."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As ``list``."""
        found = await asyncio.to_thread(lambda: list(self.list(config, filter=filter, before=before, limit=limit)))
        for entry in found:
            yield entry

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As ``put``."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """As ``put_writes``."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """As ``delete_thread``."""
        await asyncio.to_thread(self.delete_thread, thread_id)


@contextmanager
def open_checkpointer(path: str | Path) -> Iterator[SyncAsyncSqliteSaver]:
    """A checkpointer in the file ``path`` (its folder is made), or ``":memory:"``.

    Raises:
        StorageError: the file cannot be used; the memory does not need it to go on.
    """
    if str(path) != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        try:
            saver = opened.enter_context(SyncAsyncSqliteSaver.from_conn_string(str(path)))
            saver.setup()
            saver.conn.execute("PRAGMA synchronous = NORMAL")  # as the ledger's: a killed process loses nothing
            saver.conn.execute("PRAGMA cache_size = -256")  # kB; what a run writes it does not read again
        except sqlite3.DatabaseError as error:
            raise _unusable(path, error) from error
        yield saver  # type: ignore[misc]


def _unusable(path: str | Path, error: sqlite3.DatabaseError) -> StorageError:
    msg = (
        f"the checkpoint file {path} cannot be used ({error}): move it away or name another; "
        "open tasks go on from the memory folder"
    )
    zh = f"检查点文件 {path} 无法使用（{error}）：请移走它或另选一个；未完成的任务可从记忆文件夹继续"
    return StorageError(msg, zh=zh)


def kept_values(path: Path, thread: str) -> dict[str, Any]:
    """A thread's state as its newest checkpoint has it; empty where there is none. The file is only read.

    Raises:
        StorageError: the file cannot be used.
    """
    if not path.is_file():
        return {}
    with closing(connect_for_reading(path)) as connection:
        saver = SqliteSaver(connection)
        saver.is_setup = True  # it would write, to make its tables
        try:
            kept = saver.get_tuple({"configurable": {"thread_id": thread}})
        except sqlite3.DatabaseError as error:
            raise _unusable(path, error) from error
    return kept.checkpoint["channel_values"] if kept else {}


def without_secrets(saver: BaseCheckpointSaver[Any]) -> BaseCheckpointSaver[Any]:
    """The same checkpointer, of whatever kind, as one that masks what it writes; the one handed in stays as it was."""
    if isinstance(saver, MaskingSaver):
        return saver
    kind = type(saver)
    clone = copy.copy(saver)  # LangGraph makes such copies itself: they share connection and lock
    clone.__class__ = type(f"Masking{kind.__name__}", (MaskingSaver, kind), {})
    return clone


def _masked(checkpoint: Checkpoint) -> Checkpoint:
    masked = checkpoint.copy()
    masked["channel_values"] = dict(_known.masked(*channel) for channel in checkpoint["channel_values"].items())
    return masked


def _masked_writes(writes: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [_known.masked(channel, value) for channel, value in writes]


class _Known:
    """The newest values that were masked: LangGraph hands a channel's value over again until another is written.

    A value is known again as the same object; like LangGraph itself this takes it that nobody changes one in place.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[tuple[str, int], tuple[Any, tuple[str, Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def masked(self, channel: str, value: Any) -> tuple[str, Any]:
        """A channel and its value with the secrets in it masked."""
        key = channel, id(value)  # an id is unique while its object is held
        with self._lock:
            if (known := self._values.get(key)) is not None:
                self._values.move_to_end(key)
                return known[1]
        masked: tuple[str, Any] = mask_data({channel: value}, _opened).popitem()
        with self._lock:
            self._values[key] = value, masked
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return masked


_known = _Known(256)


def _opened(value: Any) -> Any:
    """Messages and questions with the secrets in them masked: they are objects that are no plain data."""
    if isinstance(value, BaseMessage):
        parts = {name: mask_data(getattr(value, name), _opened) for name in _MESSAGE_PARTS if hasattr(value, name)}
        return value.model_copy(update=parts)
    return replace(value, value=mask_data(value.value, _opened)) if isinstance(value, Interrupt) else value
