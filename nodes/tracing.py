"""What nodes tell of their work to whoever listens through LangChain's callbacks: a trace file, spans of any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_callback_manager_for_config, merge_configs

from memory_secretary.memory.records import Recalled

DETAILS = "memory_secretary.details"
"""Name of the custom event with which a node tells details of its work."""


def is_traced(config: RunnableConfig) -> bool:
    """Whether anybody listens to what a node tells."""
    manager = get_callback_manager_for_config(config)
    return manager.parent_run_id is not None and bool(manager.handlers)


def trace(config: RunnableConfig, details: Mapping[str, Any]) -> None:
    """Tell details of the node whose config this is, to those who listen (:func:`is_traced`)."""
    manager = get_callback_manager_for_config(config)
    manager.on_custom_event(DETAILS, dict(details), run_id=manager.parent_run_id)


def named(config: RunnableConfig | None, name: str) -> RunnableConfig:
    """The config under which a call to a model is seen as ``name``, its role."""
    return merge_configs(config, {"run_name": name})


def traced_recall(config: RunnableConfig, query: str, search: Callable[[], Sequence[Recalled]]) -> Sequence[Recalled]:
    """What ``search`` finds; it is seen as a retriever's run below the node's own."""
    if not is_traced(config):
        return search()
    run = get_callback_manager_for_config(config).on_retriever_start({}, query, name="recall")
    try:
        found = search()
    except BaseException as error:
        run.on_retriever_error(error)
        raise
    run.on_retriever_end([_document(hit) for hit in found])
    return found


def _document(hit: Recalled) -> Document:
    about = {"ref": hit.ref, "source": hit.source, "label": hit.label, "score": hit.score, **hit.parts}
    return Document(page_content=hit.text, metadata=about)
