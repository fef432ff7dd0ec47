"""Every screen of the memory is in one language, and none shows a record as a program would write it."""

from __future__ import annotations

import re
from functools import partial

import pytest
from typer.testing import CliRunner

from memory_secretary.graph import memory_words
from memory_secretary.graph.cli import app
from memory_secretary.memory.documents import DocumentAction
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.records import Action, Evidence, MemoryType, Status
from memory_secretary.memory.roles import Role, Tier
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.memory.why import Rule

ANA = Scope(user="ana", thread="t1")
NAMES = {
    "settle",
    "ana",
    "vacuum",
    "restore",
    "json",
    "memory",
    "secretary",
    "reindex",
    "status",
    "any",
    "user",
    "check",
}
"""What is the same in every language: names, commands and options as they are typed."""


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """Calls `memory …` on a memory with records of every kind, whose words are Chinese."""
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    folder = tmp_path / "记忆"
    with TieredMemory.open(folder, embedder=None) as memory:
        fill(memory)

    def call(lang, words):
        result = CliRunner().invoke(app, ["memory", *words, "--memory", str(folder), "--user", "ana", "--lang", lang])
        assert result.exit_code == 0, result.output
        return result.output.replace(str(tmp_path), "")

    call.ids = {}
    with TieredMemory.open(folder, embedder=None) as memory:
        call.ids = {card.content: card.memory_id for card in memory.list(ANA, status="any")}
    call.folder = tmp_path
    return call


def fill(memory):
    secretary = memory.view(Role.SECRETARY, ANA)
    event = secretary.record("user", "request", observation="请记住：窑炉是蓝色的", queue_for="remember")
    secretary.enqueue([event.event_id], "session_closed")
    proof = [Evidence(event_id=event.event_id, quote="窑炉是蓝色的")]
    for kind in MemoryType:
        memory.remember(ANA, f"窑炉的第{len(kind)}条记录", type=kind, access_level=["all", "private"][kind == "rule"])
    written = memory.view(Role.PRECIPITATOR, ANA).write(CardDraft(content="窑炉是蓝色的", evidence=proof))
    about = {"subject": "窑炉", "attribute": "颜色"}
    memory.remember(ANA, "窑炉的颜色是红", value="红", applies_to=["烧窑"], **about)
    memory.remember(ANA, "窑炉的颜色是绿", value="绿", supersedes=[written.memory_id], **about)
    inspector = memory.view(Role.INSPECTOR, ANA)
    for status in (Status.ARCHIVED, Status.QUARANTINED):
        card = memory.remember(ANA, f"窑炉已{len(status)}次检查", tier=Tier.LONG)
        inspector.set_status(card.memory_id, status=status, reason="存疑")
    memory.forget(ANA, memory.remember(ANA, "窑炉在地窖").memory_id)
    memory.edit(ANA, written.memory_id, content="窑炉以前是蓝色的")


def english(text):
    plain = re.sub(r"(?:mem|evt)_\w+|/\S+|--\w+|\bv\d+\b|\d{4}-\d\d-\d\dT\S+", " ", text)
    return sorted(set(re.findall(r"[A-Za-z_]{2,}", plain)) - NAMES)


def every_screen(shown):
    """What each subcommand but the destructive ones prints, by its words."""
    ids, out = shown.ids, shown.folder
    calls = [["list"], ["list", "--status", "any"], ["search", "窑炉颜色", "--status", "any"], ["search", "飞机"]]
    calls += [["show", ref] for ref in ids.values()] + [["history", ref] for ref in ids.values()]
    calls += [["why", query, "--expect", ref] for ref in ids.values() for query in ("窑炉颜色", "飞机")]
    calls += [["pending"], ["remember", "窑炉在院子里"], ["edit", ids["窑炉的颜色是红"], "窑炉的颜色是橙"], ["check"]]
    calls += [["export", str(out / "全部.jsonl")], ["import", str(out / "全部.jsonl")], ["backup", str(out / "副本")]]
    calls += [["reindex"], ["restore", ids["窑炉在地窖"]], ["forget", ids["窑炉在地窖"], "-y"], ["vacuum", "-y"]]
    return [(words, partial(shown, words=words)) for words in calls]


def test_no_english_word_is_left_on_a_chinese_screen(shown):
    left = {" ".join(words): found for words, screen in every_screen(shown) if (found := english(screen("zh")))}
    assert left == {}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_screen_is_a_dump_of_data(shown, lang):
    for words, screen in every_screen(shown):
        text = screen(lang)
        assert not re.search(r"[{}\[\]]|\bNone\b|'\w+':", text), (words, text)


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", ["type: fact", "stated or inferred: stated", "readable by: all agents of this user or team", "not yet"]),
        ("zh", ["类型：事实", "来源性质：原话所述", "谁能读：该用户（或团队）的所有智能体", "短期（尚未转入长期）"]),
    ],
)
def test_a_card_s_codes_are_told_so_that_none_is_mistaken(shown, lang, told):
    text = shown(lang, ["show", next(ref for words, ref in shown.ids.items() if words == "窑炉的第4条记录")])
    assert [words for words in told if words not in text] == []
    assert told[3] in shown(lang, ["list"])


def test_every_code_of_a_record_has_a_chinese_name():
    terms = memory_words.TERMS
    assert terms["type"].keys() == set(MemoryType)
    assert terms["tier"].keys() == set(Tier)
    assert terms["status"].keys() == set(Status)
    assert terms["rule"].keys() == set(Rule) - {Rule.UNKNOWN}
    assert set(Role) <= terms["who"].keys()
    spoken = {Action.REQUEST, Action.ANSWER, Action.INSTRUCTION, Action.THOUGHT, DocumentAction.PASSAGE}
    assert spoken == terms["action"].keys()
    assert memory_words.EN.keys() == memory_words.ZH.keys()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_waits_is_shown_in_its_own_words_and_with_the_command_that_makes_cards_of_it(command, folder, lang):
    with TieredMemory.open(folder, embedder="none") as memory:
        scope = Scope(user="ana", thread="t")
        memory.record(scope, actor="user", action="request", observation="The kiln stands in the yard. " * 9)
        memory.close_session(scope)
    pending = command("pending", "--lang", lang).output
    assert "The kiln stands in the yard." in pending
    assert pending.count("kiln") < 9
    listed = command("list", "--lang", lang).output
    assert f"memory settle --memory {folder} --user ana" in " ".join(listed.split())
