"""A checkpointer for scripts and the command line that works in sync and in async runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver


class SyncAsyncSqliteSaver(SqliteSaver):
    """LangGraph's SQLite saver whose async methods run the sync ones in a thread."""

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
    """A checkpointer in the file ``path`` (its folder is made), or ``":memory:"``."""
    if str(path) != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    with SyncAsyncSqliteSaver.from_conn_string(str(path)) as saver:
        yield saver  # type: ignore[misc]
