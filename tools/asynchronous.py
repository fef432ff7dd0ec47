"""Tools that exist only as coroutines, made callable from synchronous nodes on a private event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import lru_cache
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool


def callable_in_sync(tool: BaseTool) -> BaseTool:
    """The tool itself, or, when it has only a coroutine, a copy that runs it on the private loop and waits."""
    if not isinstance(tool, StructuredTool) or tool.func is not None or tool.coroutine is None:
        return tool
    coroutine = tool.coroutine

    def run(*args: Any, **kwargs: Any) -> Any:
        made: Coroutine[Any, Any, Any] = coroutine(*args, **kwargs)  # type: ignore[assignment]
        return asyncio.run_coroutine_threadsafe(made, _loop()).result()

    return tool.model_copy(update={"func": run})


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for all such tools, in a thread that ends with the process; clients they open stay usable."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="memory-secretary-tools", daemon=True).start()
    return loop
