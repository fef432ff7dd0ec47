"""Which models the servers of this machine's user have, how large they are, and what they are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from memory_secretary.memory.errors import ModelError
from memory_secretary.memory.server_errors import model_errors, not_the_protocol

ASK_SECONDS = 3.0
"""Limit of one question: a server on this machine answers in milliseconds, one that is off refuses at once."""

_ANY = "its models"
"""What error sentences put in the place of a model's name."""

_F16 = 2
"""Bytes of one number of the context in memory, unless the server was told to keep smaller ones."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A model of a server; None always means that the server does not say.

    Attributes:
        name: as the server calls it.
        size: bytes of its weights.
        kind: parameters and quantization in words, such as ``7.6B Q4_K_M``; may be empty.
        embeds: whether it makes vectors rather than text.
        token_bytes: bytes that one token of context takes in memory.
        loaded: whether it lies in memory now.
    """

    name: str
    size: int | None = None
    kind: str = ""
    embeds: bool | None = None
    token_bytes: int | None = None
    loaded: bool | None = None

    def memory(self, tokens: int) -> int | None:
        """Bytes it takes with so many tokens of context, without the server's own buffers."""
        return None if self.size is None or self.token_bytes is None else self.size + tokens * self.token_bytes


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What one server has.

    Attributes:
        provider: how names of its models begin: ``ollama`` or ``openai``.
        url: where it is.
        models: what it has, by name.
        problem: why it cannot be asked; None when it could.
    """

    provider: str
    url: str
    models: tuple[Listed, ...] = ()
    problem: ModelError | None = None


def ollama_catalogue(url: str, http: httpx.Client) -> Catalogue:
    """What the Ollama server at ``url`` has. A server that is off is told, not raised."""
    server = f"Ollama at {url}"
    try:
        with model_errors(server, _ANY):
            listed = _list(http.get(f"{url}/api/tags"), "models", server)
            loaded = {entry.get("name") for entry in _list(http.get(f"{url}/api/ps"), "models", server)}
            models = [_of_ollama(entry, _shown(http, url, entry), loaded) for entry in listed]
    except ModelError as error:
        return Catalogue("ollama", url, problem=error)
    return Catalogue("ollama", url, tuple(sorted(models, key=lambda model: model.name)))


def openai_catalogue(url: str, key: str, http: httpx.Client) -> Catalogue:
    """What the server with OpenAI's protocol at ``url`` (ending in ``/v1``) has; such servers tell names only."""
    server = f"the server at {url}"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with model_errors(server, _ANY):
            listed = _list(http.get(f"{url}/models", headers=headers), "data", server)
    except ModelError as error:
        return Catalogue("openai", url, problem=error)
    names = sorted(str(entry["id"]) for entry in listed if "id" in entry)
    return Catalogue("openai", url, tuple(map(Listed, names)))


def token_bytes(info: Mapping[str, Any]) -> int | None:
    """Bytes of context memory a token takes: key and value of every layer's key-value heads, two bytes a number.

    Args:
        info: a model file's own description, with keys such as ``qwen2.block_count``.
    """
    arch = info.get("general.architecture")
    layers, heads, all_heads = (
        info.get(f"{arch}.{key}") for key in ("block_count", "attention.head_count_kv", "attention.head_count")
    )
    width, head = info.get(f"{arch}.embedding_length"), info.get(f"{arch}.attention.key_length")
    if head is None and isinstance(width, int) and isinstance(all_heads, int) and all_heads:
        head = width // all_heads
    if not (isinstance(layers, int) and isinstance(heads, int) and isinstance(head, int)):
        return None  # some architectures have a list of them, or none
    return 2 * layers * heads * head * _F16


def _of_ollama(entry: Mapping[str, Any], shown: Mapping[str, Any], loaded: set[Any]) -> Listed:
    details = entry.get("details") or {}
    capabilities = shown.get("capabilities")
    return Listed(
        name=str(entry.get("name")),
        size=entry.get("size"),
        kind=" ".join(str(details[key]) for key in ("parameter_size", "quantization_level") if details.get(key)),
        embeds=None if capabilities is None else "embedding" in capabilities,
        token_bytes=token_bytes(shown.get("model_info") or {}),
        loaded=entry.get("name") in loaded,
    )


def _shown(http: httpx.Client, url: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Ollama's description of one model; empty where it has none."""
    answer = http.post(f"{url}/api/show", json={"model": entry.get("name")})
    found = _json(answer) if answer.is_success else None
    return found if isinstance(found, Mapping) else {}


def _list(answer: httpx.Response, key: str, server: str) -> Sequence[Mapping[str, Any]]:
    """The list of objects under ``key``.

    Raises:
        ModelError: what answers is another kind of server: its port is taken by something else.
        httpx.HTTPStatusError: it refuses, or fails.
    """
    if answer.status_code != httpx.codes.NOT_FOUND:
        answer.raise_for_status()
    found = _json(answer)
    if isinstance(found, Mapping) and key in found:
        listed = found[key] or ()  # Ollama without any model says null
        return [entry for entry in listed if isinstance(entry, Mapping)]
    said = f"HTTP {answer.status_code} from {answer.url}"
    raise not_the_protocol(server, _ANY, said)


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None
