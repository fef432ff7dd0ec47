"""The inventory on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from memory_secretary.graph.cli_start import EXAMPLE_WINDOW
from memory_secretary.graph.doctor.inventory import Inventory
from memory_secretary.graph.doctor.roles import Wanted
from memory_secretary.graph.doctor.words import size, word
from memory_secretary.graph.live import printable
from memory_secretary.graph.palette import NAME, QUIET, WARNING
from memory_secretary.graph.settings import from_environment
from memory_secretary.graph.words import Lang
from memory_secretary.nodes.models.catalogue import Catalogue, Listed
from memory_secretary.nodes.models.weights import Cached

Row = tuple[str, ...]

_MOST = 20
"""Models of one server that are shown: hosted ones have hundreds; ``--json`` has them all."""


def print_inventory(found: Inventory, lang: Lang, console: Console) -> None:
    """Roles, embedded weights, servers and embedders, each under its heading."""
    _block(word(lang, "roles"), _role_rows(found, lang), console)
    if found.executor == found.secretary:
        _below(
            word(lang, "which_window", own=from_environment().executor_window, example=EXAMPLE_WINDOW), QUIET, console
        )
    _below(word(lang, "change"), QUIET, console)
    console.print()
    _block(word(lang, "embedded_models"), (_weights_row(each, lang) for each in found.weights), console)
    for folder in dict.fromkeys(str(each.path.parent) for each in found.weights if each.size):
        console.print(Text(f"  {word(lang, 'weights_folder', folder=folder)}", QUIET), soft_wrap=True)
    hint = next((each.weights.short for each in found.weights if each.weights and not each.whole), None)
    if not found.engine:
        _below(word(lang, "engine_missing_cure"), WARNING, console)
    elif hint:
        _below(word(lang, "fetch_hint", short=hint), QUIET, console)
    for server in found.servers:
        _print_server(server, lang, console)
    console.print()
    _block(word(lang, "embedders"), ((name,) for name in found.embedders), console)


def _print_server(server: Catalogue, lang: Lang, console: Console) -> None:
    console.print()
    heading = word(lang, f"{server.provider}_models", url=server.url)
    _block(heading, (_model_row(server, model, lang) for model in server.models[:_MOST]), console)
    if len(server.models) > _MOST:
        more = word(lang, "more", count=len(server.models) - _MOST)
        _below(more, QUIET, console)
    if server.problem:
        _below(printable(server.problem.sentence(lang)), WARNING, console)
    elif not server.models and server.provider == "ollama":
        _below(word(lang, "no_models"), WARNING, console)


def _below(sentence: str, style: str, console: Console) -> None:
    """A sentence that belongs to the rows above it."""
    console.print(Padding(Text(sentence, style), (0, 0, 0, 2), expand=False))


def _block(heading: str, rows: Iterable[Row], console: Console) -> None:
    """A heading and its rows, in columns as wide as what they hold."""
    console.print(Text(heading, f"bold {NAME}"))
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=True)
    for row in rows:
        while len(table.columns) < len(row):
            table.add_column(overflow="fold")
        table.add_row(*(Text(printable(cell)) for cell in row))
    if table.rows:
        console.print(Padding(table, (0, 0, 0, 2), expand=False))


def _role_rows(found: Inventory, lang: Lang) -> Iterable[Row]:
    yield (word(lang, "executor"), *_role(found, found.executor, lang))
    shared = found.secretary == found.executor
    yield (
        (word(lang, "secretary"), word(lang, "of_both"))
        if shared
        else (
            word(lang, "secretary"),
            *_role(found, found.secretary, lang),
        )
    )
    yield word(lang, "embedder"), found.embedder or word(lang, "by_words")


def _role(found: Inventory, wanted: Wanted, lang: Lang) -> Row:
    need = found.need(wanted)
    shown = word(lang, "needs", shown=size(need)) if need else ""
    return wanted.spec, word(lang, "window_of", window=wanted.window), shown


def _weights_row(here: Cached, lang: Lang) -> Row:
    name, total = (here.weights.name, here.weights.size) if here.weights else (here.path.name, here.size)
    condition = word(lang, here.condition, here=size(here.size))
    return f"embedded:{name}", size(total), condition


def _model_row(server: Catalogue, model: Listed, lang: Lang) -> Row:
    marks = [word(lang, key) for key, holds in (("embeds", model.embeds), ("loaded", model.loaded)) if holds]
    return f"{server.provider}:{model.name}", size(model.size) if model.size else "", model.kind, " · ".join(marks)
