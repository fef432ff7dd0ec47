"""The command ``models``: what can be used here, what each role would use, and the embedded models' weights."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.text import Text

from memory_secretary.graph.cli_doctor import AnyEmbedder, Model, OtherModel
from memory_secretary.graph.cli_fetch import fetch_weights
from memory_secretary.graph.cli_language import Language, spoken
from memory_secretary.graph.cli_options import AsJson
from memory_secretary.graph.live import make_console
from memory_secretary.graph.moving_line import busy
from memory_secretary.graph.palette import BAD, GOOD, WARNING
from memory_secretary.graph.words import Lang

if TYPE_CHECKING:
    from memory_secretary.nodes.models.weights import Cached, Weights

Action = Annotated[
    Literal["list", "fetch", "verify"],
    typer.Argument(
        metavar="ACTION", help="List what there is, fetch an embedded model's weights, or verify those that are here."
    ),
]
Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", help="An embedded model: qwen2.5-coder-1.5b or qwen2.5-coder-0.5b; 1.5b or 0.5b is enough."
    ),
]

NOTHING_HERE, NOT_SOUND = 1, 2
"""Exit status of ``verify``: there is nothing to verify; a file was not the official one and has been deleted."""


def models(
    action: Action = "list",
    name: Name = None,
    executor: Model = "embedded",
    secretary: OtherModel = None,
    embedder: AnyEmbedder = "embedded",
    lang: Language = None,
    as_json: AsJson = False,
) -> None:
    """Show which models can be used here and what each role would use; fetch or verify embedded weights."""
    shown, console = spoken(lang), make_console()
    if action == "list":
        _list(executor, secretary, embedder, shown, console, as_json=as_json)
    elif action == "fetch":
        _fetch(name, shown, console, as_json=as_json)
    else:
        raise typer.Exit(_verify(name, shown, console, as_json=as_json))


def _list(executor: str, secretary: str | None, embedder: str, lang: Lang, console: Console, *, as_json: bool) -> None:
    import httpx

    from memory_secretary.graph.doctor.environment import read_environment
    from memory_secretary.graph.doctor.inventory import as_data, take_inventory
    from memory_secretary.graph.doctor.inventory_screen import print_inventory
    from memory_secretary.graph.doctor.roles import wanted_models
    from memory_secretary.nodes.models.catalogue import ASK_SECONDS

    roles = wanted_models(executor, secretary, read_environment(os.environ).settings)
    with httpx.Client(timeout=ASK_SECONDS) as http:
        found = take_inventory(roles, embedder, os.environ, http)
    if as_json:
        _print_json(as_data(found), console)
    else:
        print_inventory(found, lang, console)


def _fetch(name: str | None, lang: Lang, console: Console, *, as_json: bool) -> None:
    """Fetch one model's weights, with a bar on the error stream.

    Raises:
        ModelError: there is no such model, no source answered, or the disk is full.
    """
    from memory_secretary.graph.doctor.words import word
    from memory_secretary.nodes.models.weights import DEFAULT_WEIGHTS, cached

    chosen = name or DEFAULT_WEIGHTS
    fetch_weights({f"embedded:{chosen}"}, make_console(stderr=True))
    here = cached(chosen)
    if as_json:
        _print_json({"name": chosen, "condition": here.condition, "path": str(here.path)}, console)
    else:
        console.print(Text(word(lang, "fetched", name=chosen, path=str(here.path)), GOOD), soft_wrap=True)


def _verify(name: str | None, lang: Lang, console: Console, *, as_json: bool) -> int:
    """Hash what is here; gives the exit status."""
    from memory_secretary.graph.doctor.words import word
    from memory_secretary.nodes.models.weights import cached, known_weights

    chosen = [cached(each) for each in ([name] if name else known_weights())]
    with busy(console, word(lang, "checking"), shown=not as_json):
        results = [_hashed(here, here.weights, lang) for here in chosen if here.weights and here.path.exists()]
    if as_json:
        _print_json(results, console)
    elif not results:
        console.print(Text(_nothing_here(chosen[0].weights if name else None, lang), WARNING), soft_wrap=True)
    else:
        for each in results:
            console.print(Text(each["sentence"], GOOD if each["sound"] else BAD), soft_wrap=True)
    return NOTHING_HERE if not results else 0 if all(each["sound"] for each in results) else NOT_SOUND


def _nothing_here(named: Weights | None, lang: Lang) -> str:
    from memory_secretary.graph.doctor.words import word

    return word(lang, "not_here", name=named.name, short=named.short) if named else word(lang, "none_here")


def _hashed(here: Cached, weights: Weights, lang: Lang) -> dict[str, Any]:
    """What hashing one file has shown; a file that is not the official one is deleted."""
    from memory_secretary.graph.doctor.words import word
    from memory_secretary.memory.errors import ModelError
    from memory_secretary.nodes.models.weights import verify

    found = {"name": weights.name, "path": str(here.path)}
    try:
        verify(here.path, weights)
    except ModelError as error:
        return found | {"sound": False, "sentence": error.sentence(lang)}
    return found | {"sound": True, "sentence": word(lang, "is_sound", **found)}


def _print_json(data: Any, console: Console) -> None:
    console.out(json.dumps(data, ensure_ascii=False, indent=1, default=str), highlight=False)
