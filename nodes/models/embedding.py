"""The executor's own server as embedder, for a memory opened with ``embedder="executor"``."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.embeddings import Embeddings
from pydantic import SecretStr

from memory_secretary.memory.embedders import EXECUTOR, TIMEOUT, CheckedEmbedder
from memory_secretary.memory.errors import MemorySecretaryError, SettingsError
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.handle import ModelHandle, Provider

_KEEP_ALIVE = 1_800
"""Seconds that Ollama keeps the model after an embedding, as after a chat (the client takes no ``30m`` here)."""


def lend_embedder(executor: ModelHandle, memory: TieredMemory) -> None:
    """Give the memory the executor's model to embed with, where it was opened for that.

    A memory that embeds with the executor's model on Ollama under its own name is given the executor's window too:
    Ollama loads a model again whenever ``num_ctx`` changes.

    Raises:
        SettingsError: the executor's server cannot embed.
        EmbedderMismatch: the index was made with another embedder.
    """
    ours = executor.provider is Provider.OLLAMA and memory.embedder == _name(executor)
    if memory.embedder == EXECUTOR or ours:
        memory.use_embedder(embedder_of(executor))


def embedder_of(executor: ModelHandle) -> CheckedEmbedder:
    """The executor's model as embedder; one word is embedded to see that it can.

    Raises:
        SettingsError: it cannot; the sentence says why and names other embedders.
    """
    makers: dict[Provider, Callable[[ModelHandle], Embeddings]] = {Provider.OLLAMA: _ollama, Provider.OPENAI: _openai}
    make = makers.get(executor.provider)
    if make is None:
        raise _cannot_embed(executor, None)
    made = CheckedEmbedder(_name(executor), lambda: make(executor), server=executor.server, model=executor.name)
    try:
        made.dimension()
    except MemorySecretaryError as error:
        raise _cannot_embed(executor, error) from error
    return made


def _name(executor: ModelHandle) -> str:
    """As the same model is called when it is named as embedder, so that the index need not be made again."""
    return f"{executor.provider}:{executor.name}"


def _ollama(executor: ModelHandle) -> Embeddings:
    from langchain_ollama import OllamaEmbeddings

    return OllamaEmbeddings(
        model=executor.name,
        base_url=executor.url,
        num_ctx=executor.window,
        keep_alive=_KEEP_ALIVE,
        client_kwargs={"timeout": TIMEOUT},
    )


def _openai(executor: ModelHandle) -> Embeddings:
    from langchain_openai import OpenAIEmbeddings

    key = getattr(executor.model, "openai_api_key", None)
    return OpenAIEmbeddings(
        model=executor.name,
        base_url=executor.url,
        api_key=key if isinstance(key, SecretStr) else SecretStr("none"),
        check_embedding_ctx_length=False,  # otherwise it downloads a tokenizer
        timeout=TIMEOUT,
        max_retries=1,
    )


def _cannot_embed(executor: ModelHandle, error: MemorySecretaryError | None) -> SettingsError:
    why, zh = (f": {error.sentence('en')}", f"：{error.sentence('zh')}") if error else ("", "")
    return SettingsError(
        f"the executor's model {executor.name} cannot embed{why}; open the memory with embedder='embedded', "
        "'ollama:<embedding model>' or 'openai:<embedding model>' (--embedder on the command line)",
        zh=f"执行者的模型 {executor.name} 不能做嵌入{zh}；请用 embedder='embedded'、'ollama:<嵌入模型>' 或 "
        "'openai:<嵌入模型>' 打开记忆库（命令行用 --embedder）",
    )
