"""Tools that answer only asynchronously, made callable from synchronous nodes on a private event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable
from functools import lru_cache, wraps
from typing import Any

from langchain_core.tools import BaseTool


def callable_in_sync(tool: BaseTool) -> BaseTool:
    """A copy of the tool that, where it gives an awaitable or can only be awaited, is waited for.

    A class that writes its own ``_arun`` and raises ``NotImplementedError`` from ``_run``, as LangChain's own tools
    do, can only be awaited.
    """

    @wraps(tool._run)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            given = tool._run(*args, **kwargs)
        except NotImplementedError:
            if not _has_coroutine(tool):
                raise
            kwargs.pop("run_manager", None)  # it reports in sync
            given = tool._arun(*args, **kwargs)
        return _waited(given) if inspect.isawaitable(given) else given

    made = tool.model_copy()
    object.__setattr__(made, "_run", run)
    return made


def _has_coroutine(tool: BaseTool) -> bool:
    """Whether awaiting the tool does something else than calling it."""
    if hasattr(tool, "func"):  # a tool made of functions: its class has an ``_arun`` in any case
        return tool.func is None and getattr(tool, "coroutine", None) is not None
    return type(tool)._arun is not BaseTool._arun


def _waited(given: Awaitable[Any]) -> Any:
    async def result() -> Any:
        return await given

    future = asyncio.run_coroutine_threadsafe(result(), _loop())
    try:
        return future.result()
    finally:
        future.cancel()  # of effect only when the wait was interrupted


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for all such tools, in a thread that ends with the process; clients they open stay usable."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="memory-secretary-tools", daemon=True).start()
    return loop
