"""The commands that look after a memory's folder and take a memory elsewhere."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from memory_secretary.graph import cli_desk
from memory_secretary.graph.cli import app
from memory_secretary.graph.cli_records import check_sentences
from memory_secretary.memory import database
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.upkeep import CheckReport

ANA = Scope(user="ana", thread="t1")


def test_export_import_and_backup_carry_everything(data, tmp_path):
    lines = data("export", tmp_path / "out.jsonl")["lines"]
    assert lines == len((tmp_path / "out.jsonl").read_text("utf-8").splitlines())
    data("import", tmp_path / "out.jsonl", user="copy")
    assert {card["content"] for card in data("list", user="copy")} == {card["content"] for card in data("list")}
    assert str(tmp_path / "copy") in data("backup", tmp_path / "copy")["copy"]
    with TieredMemory.open(tmp_path / "copy", embedder=None) as memory:
        assert len(memory.list(ANA)) == 2


def test_reindex_check_and_vacuum_report(data):
    assert data("reindex")["records"] >= 0
    assert data("search", "备份") != []
    report = data("check")
    assert report["damage"] == []
    assert report["cards"] == 3
    assert data("vacuum", "--yes")["bytes freed"] >= 0


@pytest.mark.parametrize(("lang", "done"), [("en", "Done: both indexes"), ("zh", "完成：两个索引")])
def test_reindex_says_that_it_is_done(command, lang, done):
    assert done in command("reindex", "--lang", lang).stdout


def test_vacuum_tells_what_it_erases_of_all_users(command, data, folder):
    for user in ("ana", "ana2"):
        card = data("list", user=user)[0]
        data("edit", card["memory_id"], "other words", user=user)
        data("forget", "--yes", card["memory_id"], user=user)
    with TieredMemory.open(folder, embedder=None) as memory:
        event = memory.record(ANA, actor="user", action="request", observation="the kiln stands in the cellar")
        memory.forget(ANA, memory.remember(ANA, "the kiln stands in the cellar").memory_id)
    assert "cards 3 (versions 8), turns 1" in command("vacuum", "--yes").stdout
    assert "卡片 0 张（0 个版本）、对话 0 条" in command("vacuum", "--yes", "--lang", "zh").stdout
    assert data("vacuum", "--yes") | {"bytes before": 0, "bytes after": 0} == {
        "cards": 0, "versions": 0, "events": 0, "bytes before": 0, "bytes after": 0, "bytes freed": 0,
    }  # fmt: skip
    assert "the user's wish" in command("show", event).stdout


@pytest.fixture
def at_a_terminal(monkeypatch):
    """Lets somebody answer the questions; gives what they were asked."""
    asked = []

    def answer(words):
        monkeypatch.setattr(cli_desk, "typed", lambda prompt: asked.append(prompt) or words)
        return asked

    return answer


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["forget", "vacuum"])
def test_a_person_is_told_what_will_go_and_asked_before_it_goes(command, data, at_a_terminal, name, lang):
    asked = at_a_terminal("")
    if name == "vacuum":
        data("forget", "--yes", data("list")[0]["memory_id"])
    status = "active" if name == "forget" else "archived"
    card = data("list", "--status", status)[0]
    words = [name, card["memory_id"]] if name == "forget" else [name]
    refused = command(*words, "--lang", lang)
    assert (refused.exit_code, len(asked)) == (1, 1)
    will = {"forget": ("Forgetting takes out", "遗忘会把"), "vacuum": ("cards 1 (versions 2)", "卡片 1 张（2 个版本）")}
    assert will[name][lang == "zh"] in refused.stdout
    assert refused.stdout.endswith({"en": "Nothing was changed.\n", "zh": "没有做任何改动。\n"}[lang])
    assert card in data("list", "--status", status)
    at_a_terminal("是" if lang == "zh" else "Y")
    assert command(*words, "--lang", lang).exit_code == 0
    assert card not in data("list", "--status", status)
    assert len(asked) == 2


@pytest.mark.parametrize("name", ["forget", "vacuum"])
@pytest.mark.parametrize(("answer", "status"), [("n\n", 1), ("", 2), ("y\n", 0)])
def test_a_pipe_is_asked_too_and_nothing_goes_without_a_yes(folder, data, name, answer, status):
    gone, stays = (card["memory_id"] for card in data("list"))
    data("forget", "--yes", gone)
    words = ["forget", stays] if name == "forget" else ["vacuum"]
    line = ["memory", *words, "--memory", str(folder), "--user", "ana", "--embedder", "none"]
    result = CliRunner().invoke(app, line, input=answer)
    assert (result.exit_code, "--yes" in result.stderr) == (status, status == 2)
    if status:
        assert CliRunner().invoke(app, [*line, "--json"], input="y\n").exit_code == 2, "a program has to say --yes"
    left = {card["memory_id"] for card in data("list", "--status", "any")}
    active = {card["memory_id"] for card in data("list")}
    assert (gone in left, stays in active) == ((True, status != 0) if name == "forget" else (status != 0, True))


def test_whoever_says_yes_before_is_not_asked(command, data, at_a_terminal):
    asked = at_a_terminal("n")
    assert command("forget", data("list")[0]["memory_id"], "--yes").exit_code == 0
    assert command("vacuum", "-y").exit_code == 0
    assert data("vacuum", "--yes")["cards"] == 0
    assert asked == []


@pytest.mark.integration
def test_reindex_takes_another_embedder_than_the_index_was_made_with(command, folder):
    with TieredMemory.open(folder, embedder=None) as memory:
        memory._ledger.indexing.remember_embedder("another")
    refused = command("search", "备份", "--embedder", "embedded")
    assert (refused.exit_code, "another" in refused.output) == (2, True)
    assert command("reindex", "--embedder", "embedded").exit_code == 0
    assert "备份" in command("search", "备份", "--embedder", "embedded").stdout


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["export", "backup"])
def test_neither_an_export_nor_a_backup_overwrites_anything(command, tmp_path, name, lang):
    target = tmp_path / "there"
    assert command(name, target).exit_code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("there*") if path.is_file()}
    refused = command(name, target, "--lang", lang)
    assert refused.exit_code == 2
    assert str(target) in refused.stderr
    assert ("已经存在" in refused.stderr) == (lang == "zh")
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(("lang", "verdict"), [("en", "sound: nothing to repair"), ("zh", "完好：无需修复")])
def test_a_check_says_its_verdict(command, lang, verdict):
    assert verdict in command("check", "--lang", lang).stdout


@pytest.mark.parametrize(("lang", "reason"), [("en", "may not be written"), ("zh", "不可写")])
def test_a_check_of_a_folder_that_is_only_read_says_so_once_and_promises_nothing(command, monkeypatch, lang, reason):
    monkeypatch.setattr(database, "may_write", lambda file: False)
    text = command("check", "--lang", lang).stdout
    assert text.count(reason) == 1
    assert not any(words in text for words in ("unchecked", "nothing to repair", "无需修复", "next search", "下一次"))


def test_a_check_tells_what_waits_once(command):
    text = command("check", "--lang", "zh").stdout
    assert text.count("等待进入向量索引") == 1


@pytest.mark.parametrize(
    ("found", "sentences"),
    [
        ({"damage": ("page 3",)}, ["damaged: put back a backup made with `memory-secretary memory backup`"]),
        ({"repaired": 2, "orphans": 1}, ["sound; index entries repaired: 3"]),
        ({"waiting": 2}, ["sound: nothing to repair", "waiting for the vector index: 2"]),
        ({"unchecked": "down"}, ["the ledger is sound", "the vector index was not checked: down"]),
        (
            {"unchecked": "down", "waiting": 2},
            ["the ledger is sound", "the vector", "waiting for the vector index: 2; words find them now"],
        ),
        ({"without_vector": 4}, ["sound: nothing to repair", "not embedded: 4"]),
    ],
)
def test_the_verdict_names_what_was_found_and_what_waits(found, sentences):
    nothing = dict.fromkeys(("events", "cards", "repaired", "orphans", "waiting", "without_vector"), 0)
    said = check_sentences(CheckReport(**{"damage": (), **nothing, **found}))
    assert len(said) == len(sentences)
    assert all(whole.startswith(start) for whole, start in zip(said, sentences, strict=True))


@pytest.mark.parametrize(("lang", "words"), [("en", "nothing kept for user 'nobody'"), ("zh", "没有用户 'nobody'")])
def test_an_export_of_nothing_is_refused_and_leaves_no_file(command, tmp_path, lang, words):
    result = command("export", tmp_path / "out.jsonl", "--lang", lang, user="nobody")
    assert (result.exit_code, words in result.stderr, (tmp_path / "out.jsonl").exists()) == (2, True, False)


@pytest.mark.parametrize(("lang", "words"), [("en", "a card lacks timestamp"), ("zh", "卡片缺少 timestamp")])
def test_a_card_without_a_field_is_refused_by_what_it_lacks(command, tmp_path, lang, words):
    card = {"memory_id": "m1", "type": "fact", "content": "the kiln is blue"}
    (tmp_path / "cards.json").write_text(json.dumps(card), "utf-8")
    result = command("import", tmp_path / "cards.json", "--lang", lang)
    assert (result.exit_code, words in result.stderr, "None" in result.stderr) == (2, True, False)
