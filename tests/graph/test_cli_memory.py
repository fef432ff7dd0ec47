"""The commands `memory …` on a real ledger, searched by words: each does what its line of help says."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime

import pytest
from rich.console import Console
from typer.testing import CliRunner

from memory_secretary.graph import memory_words
from memory_secretary.graph.cli import app
from memory_secretary.graph.cli_hits import hit_entry
from memory_secretary.graph.words import term
from memory_secretary.memory.ranking import _LEGS
from memory_secretary.memory.records import Recalled
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory

ANA = Scope(user="ana", thread="t1")


def test_list_shows_each_card_with_its_id_and_nothing_of_others(command, data):
    cards = data("list")
    assert {card["content"] for card in cards} == {"Answers under 200 words", "周五把备份脚本交给小周"}
    text = command("list").stdout
    for card in cards:
        assert card["memory_id"] in text
        assert card["content"] in text
    assert "cellar" not in text


@pytest.mark.parametrize("before", [0, 1, 2])
def test_the_language_may_stand_anywhere_on_the_line(folder, before):
    words = ["memory", "list", "--memory", str(folder), "--user", "nobody"]
    result = CliRunner().invoke(app, [*words[:before], "--lang", "zh", *words[before:]])
    assert (result.exit_code, "没有用户" in result.stdout) == (0, True)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_list_says_whose_and_where(command, folder, lang):
    text = command("list", "--lang", lang, user="nobody").stdout
    assert all(part in text for part in ("'nobody'", str(folder), "--user"))
    assert ("记录" in text) == (lang == "zh")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_card_of_a_status_is_not_nothing(command, folder, lang):
    text = command("list", "--status", "superseded", "--lang", lang).stdout
    assert f"memory list --status any --memory {folder} --user ana" in text
    assert ("全部 2 张" if lang == "zh" else "the 2 of any status") in text
    with TieredMemory.open(folder, embedder=None) as memory:
        memory.record(Scope(user="talks", thread="t"), actor="user", action="request", observation="hello")
    text = command("list", "--lang", lang, user="talks").stdout
    assert ("还没有卡片" if lang == "zh" else "has no cards") in text
    assert f"--memory {folder} --user talks" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_forgotten_is_no_longer_counted_among_what_is_kept(command, data, folder, lang):
    first, second = data("list")
    data("forget", first["memory_id"], "--yes")
    left = command("list", "--status", "superseded", "--lang", lang).stdout
    assert ("全部 1 张" if lang == "zh" else "the 1 of any status") in left
    data("forget", second["memory_id"], "--yes")
    text = command("list", "--lang", lang).stdout
    assert ("没有用户 'ana' 的记录" if lang == "zh" else "nothing kept for user 'ana'") in text
    assert ("已遗忘的卡片 2 张" if lang == "zh" else "cards forgotten: 2") in text
    assert f"memory list --status any --memory {folder} --user ana" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_talk_of_which_nothing_is_to_be_kept_leaves_no_count(command, data, folder, lang):
    mine = Scope(user="talks", thread="t")
    with TieredMemory.open(folder, embedder=None) as memory:
        told = memory.record(mine, actor="user", action="request", observation="I live in Graz.")
        memory.record(mine, actor="executor", action="answer", observation="Noted.")
        memory.record(mine, actor="user", action="request", observation="Where do I live?")
        memory.record(mine, actor="executor", action="answer", observation="In Graz, as you said.")
        memory.close_session(mine)
    text = command("list", "--lang", lang, user="talks").stdout
    assert ("I live in Graz." in text, "Where" in text, "memory settle" in text) == (True, False, True)
    command("forget", told, "--yes", user="talks")
    text = command("list", "--lang", lang, user="talks").stdout
    assert not re.search(r"(?:: |：|the )1\b", text) and "memory settle" not in text


@pytest.mark.parametrize(("lang", "sentence"), [("en", "there is no memory in"), ("zh", "里没有记忆库")])
def test_no_memory_suggests_one_in_the_same_folder(tmp_path, lang, sentence):
    folder = tmp_path / "none"
    dotted = tmp_path / "other" / ".." / "none"
    result = CliRunner().invoke(app, ["memory", "list", "--memory", str(dotted), "--lang", lang])
    assert (result.exit_code, sentence in result.stderr, ".." in result.stderr) == (2, True, False)
    assert re.search(rf"memory-secretary memory remember \S+ --memory {folder}\n", result.stderr)


@pytest.mark.parametrize(("lang", "word"), [("en", "unknown"), ("zh", "未知")])
def test_an_unknown_embedder_is_refused_without_words_for_programmers(command, lang, word):
    result = command("list", "--embedder", "foo", "--lang", lang)
    assert (result.exit_code, word in result.stderr, "LangChain" in result.stderr) == (2, True, False)


def test_the_score_s_key_names_every_part_of_similarity(data):
    [hit] = data("search", "备份")
    for lang, names in (("en", memory_words.EN), ("zh", memory_words.ZH)):
        key = names["score"] + names["score_made"]
        parts = [memory_words.TERMS["part"][part] if lang == "zh" else part for part in hit["parts"]]
        assert [part for part in [*parts, term(lang, "part", "situation")] if part not in key] == []
    assert set(_LEGS) <= set(memory_words.TERMS["part"])


def test_search_finds_in_both_languages_and_shows_the_score(command, data):
    [hit] = data("search", "备份")
    assert hit["text"] == "周五把备份脚本交给小周"
    assert 0 < hit["score"] <= 1
    assert hit["parts"]
    shown = command("search", "备份").stdout
    assert hit["ref"] in shown
    assert "0.5 similarity" in shown
    assert data("search", "words of an answer", "-k", "1")[0]["text"] == "Answers under 200 words"


def test_why_names_the_rule(command, data):
    ids = {card["content"]: card["memory_id"] for card in data("list")}
    expected = ids["Answers under 200 words"]
    assert data("why", "words", "--expect", expected)["rule"] == "recalled"
    assert data("why", "飞机", "--expect", expected)["rule"] == "no_match"
    assert "no_match" in command("why", "飞机", "--expect", expected).stdout
    assert "没有共同的关键词" in command("why", "飞机", "--expect", expected, "--lang", "zh").stdout
    assert "得分" in command("why", "words", "--expect", expected, "--lang", "zh").stdout


def test_why_without_an_id_shows_what_comes_and_why(command, data):
    found = [data(name, "words of an answer", "-k", "1")[0]["ref"] for name in ("why", "search")]
    assert found[0] == found[1]
    assert "0.5 similarity" in command("why", "words of an answer").stdout


@pytest.mark.parametrize(
    ("filler", "fact", "query", "lang"),
    [
        ("The barrels were counted again. ", "The porcelain kiln reached 1280 degrees. ", "porcelain kiln", "en"),
        ("木桶又数了一遍。", "青瓷窑烧到一千二百八十度。", "青瓷窑烧到多少度", "zh"),
    ],
)
def test_a_hit_is_shown_in_part_where_it_speaks_of_the_query(command, data, folder, filler, fact, query, lang):
    text = filler * (350 // len(filler)) + fact + filler * (350 // len(filler))
    with TieredMemory.open(folder, embedder=None) as memory:
        ref = memory.record(ANA, actor="tool", action="read_file", observation=text)
    shown = command("search", query, "-k", "1", "--lang", lang).stdout.splitlines()[0].strip()
    assert fact.strip() in shown
    assert (shown[:2], shown[-2:], 150 <= len(shown) <= 204) == ("… ", " …", True)
    if lang == "en":
        assert set(shown.strip(" …").split()) <= set(text.split()), "no word is torn"
    assert len(data("search", query, "-k", "1")[0]["text"]) > 500, "a program gets the whole passage"
    assert text.strip() in command("show", ref, "--length", "5000", "--lang", lang).stdout


def test_a_hit_that_has_no_word_of_the_query_is_shown_from_its_beginning():
    out = io.StringIO()
    hit = Recalled(
        ref="evt_1",
        source="event",
        text="The barrels are oak. " * 40,
        score=1.0,
        at=datetime(2026, 3, 1, tzinfo=UTC),
        status="active",
    )
    hit_entry(hit, Console(file=out, width=1000), "plane")
    assert out.getvalue().splitlines()[0].strip().startswith("The barrels are oak. The")
    assert len(out.getvalue().splitlines()[0].strip()) <= 202


def test_edit_history_forget_restore(data):
    card = next(card for card in data("list") if card["type"] == "preference")
    edited = data("edit", card["memory_id"], "Answers under 100 words")
    assert (edited["version"], edited["content"]) == (2, "Answers under 100 words")
    assert data("forget", "--yes", card["memory_id"])["status"] == "archived"
    assert card["memory_id"] not in {other["memory_id"] for other in data("list")}
    assert card["memory_id"] in {other["memory_id"] for other in data("list", "--status", "archived")}
    restored = data("restore", card["memory_id"], "--version", "1")
    assert (restored["status"], restored["content"]) == ("active", "Answers under 200 words")
    versions = data("history", card["memory_id"])
    assert [version["card"]["version"] for version in versions] == [1, 2, 3, 4]
    assert {version["role"] for version in versions} == {"user"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_editing_and_restoring_a_card_say_in_a_sentence_what_was_done(command, data, lang):
    ref = data("list")[0]["memory_id"]
    edited = command("edit", ref, "Answers under 100 words", "--lang", lang).stdout
    assert {"en": "Changed: this is version 2", "zh": "已改写：现在是第 2 版"}[lang] in edited
    data("forget", "--yes", ref)
    restored = command("restore", ref, "--lang", lang).stdout
    assert {"en": "current as version 4", "zh": "重新有效，现在是第 4 版"}[lang] in restored


def test_show_gives_a_card_s_fields_or_an_event_s_text(command, data, folder):
    card = data("list")[0]
    assert f"memory_id: {card['memory_id']}" in command("show", card["memory_id"]).stdout
    assert data("show", card["memory_id"]) == card
    with TieredMemory.open(folder, embedder=None) as memory:
        event = memory.record(ANA, actor="tool", action="fetch", observation="one\n\x1b[2Jtwo\n" + "长" * 5000)
    text = command("show", event, "--length", "20").stdout
    assert [line[-3:] for line in text.splitlines()[:2]] == ["one", "two"]
    assert "\x1b" not in text
    assert data("show", event, "--start", "12", "--length", "3") == "长长长"
    assert command("show", event, user="ana2").exit_code == 2


def test_pending_shows_what_waits(command, data, folder):
    assert command("pending").stdout == "Nothing waits to become cards.\n"
    with TieredMemory.open(folder, embedder=None) as memory:
        event = memory.record(ANA, actor="user", action="request", observation="remember: the code is at the desk")
        memory.view(Role.SECRETARY, ANA).enqueue([event], "remember", "the code is at the desk")
    assert data("pending")[0]["reason"] == "remember"
    assert "the code is at the desk" in command("pending").stdout


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "words",
    [
        ["show", "mem_unknown"],
        ["edit", "mem_unknown", "x"],
        ["forget", "mem_unknown"],
        ["why", "words", "--expect", "mem_unknown"],
        ["why", "words", "--expect", "evt_unknown"],
        ["remember", " "],
        ["import", "/no/such/file"],
        ["export", "/no/such/folder/file"],
    ],
)
def test_what_cannot_be_done_is_one_sentence(command, words, lang):
    result = command(*words, "--lang", lang)
    assert result.exit_code == 2
    [sentence] = result.stderr.splitlines()
    assert any("一" <= sign <= "鿿" for sign in sentence) == (lang == "zh")
    assert result.stdout == ""


def test_remember_keeps_a_card_of_the_user_s_own_and_the_same_words_once(data):
    card = data("remember", "订单周五前发货", "--type", "rule")
    assert (card["content"], card["type"], card["source_agent"]) == ("订单周五前发货", "rule", "user")
    assert data("remember", "订单周五前发货", "--type", "rule")["memory_id"] == card["memory_id"]
    assert data("search", "发货")[0]["ref"] == card["memory_id"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Answers in at most ten words", "preference"), ("I prefer tea", "preference"), ("The kiln is blue", "fact"),
        ("回答不超过十个字", "preference"), ("记住：以后都用摄氏度", "preference"), ("窑炉是蓝色的", "fact"),
    ],
)  # fmt: skip
def test_a_wish_is_kept_as_a_preference_unless_another_type_is_named(data, text, kind):
    assert data("remember", text)["type"] == kind
    assert data("remember", text, "--type", "episode")["type"] == "episode"


def test_the_first_card_makes_the_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    call = ["memory", "remember", "the gate code is 4711", "--memory", str(tmp_path / "new")]
    assert "the gate code is 4711" in CliRunner().invoke(app, call).stdout
    assert "4711" in CliRunner().invoke(app, ["memory", "list", "--memory", str(tmp_path / "new")]).stdout


def test_the_beginning_of_an_id_is_enough_where_only_one_begins_so(command, data, folder):
    with TieredMemory.open(folder, embedder=None) as memory:
        event = memory.record(ANA, actor="tool", action="fetch", observation="the whole text")
    assert data("show", event[:-4]) == "the whole text"
    card = data("list")[0]
    beginning = card["memory_id"][:-4]
    assert data("show", beginning) == card
    assert data("history", beginning)[0]["card"]["memory_id"] == card["memory_id"]
    assert data("why", "words", "--expect", beginning)["rule"] in ("recalled", "no_match")
    assert data("edit", beginning, "new words")["content"] == "new words"
    assert data("forget", "--yes", beginning)["status"] == "archived"
    assert data("restore", beginning)["status"] == "active"
    ambiguous = command("forget", "mem_")
    assert ambiguous.exit_code == 2
    assert card["memory_id"] in ambiguous.stderr
    assert command("show", beginning, user="ana2").exit_code == 2


def test_a_folder_without_a_memory_is_not_made(tmp_path):
    result = CliRunner().invoke(app, ["memory", "list", "--memory", str(tmp_path / "typo")])
    assert result.exit_code == 2
    assert "typo" in result.stderr
    assert not (tmp_path / "typo").exists()


def test_all_commands_of_the_design_exist_and_no_others():
    names = {command.name for group in app.registered_groups for command in group.typer_instance.registered_commands}
    assert names == {
        "list", "search", "why", "show", "remember", "edit", "history", "forget", "restore", "pending", "export",
        "import", "reindex", "check", "backup", "vacuum", "settle", "consolidate", "inspect",
    }  # fmt: skip
    own = ["run", "chat", "brief", "doctor", "models", "maintain", "eval", "trace", "distill"]
    assert [command.name for command in app.registered_commands] == own


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_wish_that_waits_is_listed_forgotten_explained_and_restored(command, data, folder, lang):
    words = {"en": "Remember: ten words at most", "zh": "请记住：最多十个字"}[lang]
    with TieredMemory.open(folder, embedder=None) as memory:
        view = memory.view(Role.SECRETARY, ANA)
        ref = view.record("user", "request", observation=words, queue_for="remember").event_id
        answer = view.record("executor", "answer", observation="OK", parent=ref).event_id
        thought = view.record("executor", "thought", observation="They want it short.", parent=answer).event_id
    used = {"en": "asked to be remembered; used already, not yet a card", "zh": "要求记住；已经起作用，还不是卡片"}[
        lang
    ]
    listed = command("list", "--lang", lang).stdout
    assert f"{ref} · {used}" in listed and words in listed
    assert words not in command("list", "--status", "archived", "--lang", lang).stdout
    refused = command("forget", thought, "--yes", "--lang", lang)
    assert (refused.exit_code, {"en": "nothing that you said", "zh": "不是您说的话"}[lang] in refused.stderr) == (
        2,
        True,
    )
    gone = command("forget", ref[:-4], "--yes", "--lang", lang)
    assert (gone.exit_code, "vacuum" in gone.stdout, words in gone.stdout) == (0, True, True)
    assert words not in command("list", "--lang", lang).stdout
    assert data("why", words, "--expect", ref)["rule"] == "forgotten"
    assert {"en": "It was forgotten already", "zh": "早已被遗忘"}[lang] in command("forget", ref, "--lang", lang).stdout
    assert command("restore", ref, "--version", "1", "--lang", lang).exit_code == 2
    back = command("restore", ref, "--lang", lang).stdout
    assert words in back
    assert {"en": "have the turn again, with its answer. It waits", "zh": "用得到这句话及其回答。它重新等待"}[
        lang
    ] in back
    again = command("restore", ref, "--lang", lang).stdout
    assert {"en": "It was not forgotten; nothing", "zh": "它没有被遗忘；没有任何改动"}[lang] in again
    assert used in command("list", "--lang", lang).stdout
    assert data("forget", ref, "--yes")["event_id"] == ref
    data("vacuum", "--yes")
    erased = command("restore", ref, "--lang", lang)
    assert (erased.exit_code, {"en": "say them again", "zh": "重新说一遍"}[lang] in erased.stderr) == (2, True)


@pytest.mark.parametrize(
    ("lang", "new", "known", "masked"),
    [("en", "Kept.", "was kept before", "was masked"), ("zh", "已记下。", "早已记下", "已被遮盖")],
)
def test_remember_says_whether_it_is_new_and_that_a_secret_was_masked(command, lang, new, known, masked):
    first = command("remember", "The kiln is blue", "--lang", lang).stdout
    assert (new in first, known in first, masked in first) == (True, False, False)
    again = command("remember", "the kiln is  blue", "--lang", lang).stdout
    assert (new in again, known in again) == (False, True)
    secret = "sk-proj-" + "a1" * 20
    told = command("remember", f"My key is {secret}", "--lang", lang).stdout
    assert (masked in told, secret in told) == (True, False)


@pytest.mark.parametrize(("lang", "already"), [("en", "was forgotten before"), ("zh", "早已被遗忘")])
def test_forgetting_what_is_forgotten_changes_nothing_and_says_so(command, data, lang, already):
    card = data("list")[0]
    assert already not in command("forget", "--yes", card["memory_id"], "--lang", lang).stdout
    before = data("history", card["memory_id"])
    assert already in command("forget", "--yes", card["memory_id"], "--lang", lang).stdout
    assert data("history", card["memory_id"]) == before


@pytest.mark.parametrize(("lang", "words"), [("en", "QUERY is empty"), ("zh", "问题是空的")])
@pytest.mark.parametrize("query", ["", "  ", "\u3000"])
def test_an_empty_query_is_refused(command, data, lang, words, query):
    for call in (["search", query], ["why", query, "--expect", data("list")[0]["memory_id"]]):
        result = command(*call, "--lang", lang)
        assert (result.exit_code, words in result.stderr) == (2, True)
