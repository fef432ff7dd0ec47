"""The command `models`: what there is, fetching and verifying."""

from __future__ import annotations

import hashlib
import json
import re
from importlib import import_module

import pytest
import typer
from rich.console import Console
from stand_in_ollama import StandInOllama
from typer.testing import CliRunner

from memory_secretary.graph import cli_models
from memory_secretary.memory.errors import ModelError
from memory_secretary.nodes.models import weights
from memory_secretary.nodes.models.weights import Packages, Weights, cache_folder

DATA = b"GGUF" + bytes(range(256)) * 40
TINY = Weights(
    "tiny-0.1b", len(DATA), hashlib.sha256(DATA).hexdigest(), "someone/tiny", "tiny.gguf", Packages("t", 1, "1"), 10
)

app = typer.Typer(pretty_exceptions_enable=False)
app.command("models")(cli_models.models)
app.command("other")(lambda: None)


@pytest.fixture
def models(monkeypatch):
    """Calls `models` where one tiny model is pinned and no server runs."""
    names = ("nodes.models.weights", "nodes.models.resolve", "graph.doctor.inventory", "graph.doctor.models")
    for module in [import_module(f"memory_secretary.{name}") for name in names]:  # all before any default changes
        monkeypatch.setattr(module, "known_weights", lambda: {TINY.name: TINY}, raising=False)
        monkeypatch.setattr(module, "DEFAULT_WEIGHTS", TINY.name)
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    return lambda *words: CliRunner().invoke(app, ["models", *words])


@pytest.fixture
def delivered(monkeypatch):
    """A source that delivers the tiny model."""

    def deliver(wanted, folder, progress):
        progress("a hub", wanted.size, wanted.size)
        fetched = folder / "fetched"
        fetched.write_bytes(DATA)
        return fetched

    monkeypatch.setattr(weights, "_default_sources", lambda: (deliver,))


def put(data=DATA):
    folder = cache_folder() / "weights"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TINY.file).write_bytes(data)
    return folder / TINY.file


def test_weights_are_fetched_and_then_listed_as_verified(models, delivered):
    result = models("fetch", "0.1b", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["condition"] == "verified"
    assert models("fetch", "--lang", "zh").stdout.startswith("tiny-0.1b 已就绪并通过校验")


def test_an_unknown_name_is_refused_with_the_known_ones(models):
    result = models("fetch", "llama-9000")
    assert isinstance(result.exception, ModelError)
    assert "tiny-0.1b" in str(result.exception)
    assert "tiny-0.1b" in result.exception.zh


def test_verify_hashes_what_is_here_again(models):
    assert models("verify").exit_code == 1
    file = put()
    result = models("verify", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0]["sound"]
    file.write_bytes(DATA[:-1] + b"x")
    damaged = models("verify", "--lang", "zh")
    assert damaged.exit_code == 2
    assert "已将其删除" in damaged.stdout
    assert not file.exists()


@pytest.mark.parametrize("name", ["tiny-0.1b", "0.1b", "0.1B", "embedded:0.1b", "tiny:0.1b"])
def test_a_name_that_means_one_model_is_taken_however_it_is_written(models, name):
    missing = models("verify", name)
    assert missing.exit_code == 1
    assert missing.stdout.endswith(
        "tiny-0.1b is not on this machine; fetch it with: memory-secretary models fetch 0.1b\n"
    )
    assert "本机还没有 tiny-0.1b" in models("verify", name, "--lang", "zh").stdout
    put()
    assert "tiny-0.1b is the official file" in models("verify", name).stdout


@pytest.mark.parametrize("name", ["7b", "1b", ".1b", "qwen2.5:7b"])
def test_a_name_that_means_none_is_refused_with_each_name_and_how_short_it_may_be(models, name):
    refusal = models("verify", name).exception
    assert f"no weights {name!r}: the names are tiny-0.1b (or 0.1b); a GGUF file" in refusal.sentence("en")
    assert "tiny-0.1b（或 0.1b）" in refusal.sentence("zh")


@pytest.mark.integration
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_any_server_the_list_says_how_to_get_one(models, lang):
    result = models("--lang", lang)
    assert result.exit_code == 0
    assert "ollama serve" in result.stdout
    assert "embedded:tiny-0.1b" in result.stdout
    assert "memory-secretary models fetch 0.1b" in result.stdout
    lines = result.stdout.splitlines()
    assert any(line.endswith("`--executor embedded`") for line in lines)
    assert all(len(line) - len(line.rstrip()) < 100 for line in lines), "a file's lines are not filled up"


@pytest.mark.integration
def test_a_narrow_terminal_gets_the_weights_folder_whole(models, monkeypatch):
    put()
    monkeypatch.setattr(cli_models, "make_console", lambda: Console(width=40, highlight=False))
    assert f"They lie in {cache_folder() / 'weights'}\n" in models().stdout


@pytest.mark.integration
def test_the_list_tells_what_is_used_and_what_could_be(models, monkeypatch):
    put()
    with StandInOllama(models=("qwen2.5:7b",)) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        data = json.loads(models("--executor", "ollama:qwen2.5:7b", "--embedder", "none", "--json").stdout)
        text = models("--executor", "ollama:qwen2.5:7b").stdout
    assert data["roles"]["executor"] == data["roles"]["secretary"]
    assert data["roles"]["executor"]["window"] == 8192
    assert data["embedder"] == ""
    assert [(each["name"], each["condition"]) for each in data["weights"]] == [("tiny-0.1b", "unverified")]
    [ollama] = data["servers"]
    assert (ollama["problem"], [each["name"] for each in ollama["models"]]) == (None, ["qwen2.5:7b"])
    assert "ollama:qwen2.5:7b" in text
    assert "7.6B Q4_K_M" in text
    assert "4.7 GB" in text


@pytest.mark.integration
def test_an_address_that_is_none_is_told_and_hides_nothing_else(models, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "nonsense")
    data = json.loads(models("--json").stdout)
    assert [server["provider"] for server in data["servers"]] == ["ollama", "openai"]
    assert "nonsense" in data["servers"][1]["problem"]


@pytest.mark.integration
@pytest.mark.parametrize(("lang", "words"), [("en", "the larger of their windows"), ("zh", "较大的窗口")])
def test_which_window_is_shown_is_said_where_one_model_has_both_roles(models, lang, words):
    result = models("list", "--lang", lang)
    assert result.exit_code == 0, repr(result.exception)
    text = re.sub(r"\s+", " ", result.stdout)
    assert words in text
    assert "2,048" in text
    assert words not in models("list", "--lang", lang, "--secretary", "ollama:m").stdout.replace("\n", " ")
