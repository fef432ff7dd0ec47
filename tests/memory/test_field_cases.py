"""Failures that users of such memories report, by case; where another test has the kind, it is named.

- 34, one user sees another's memories: here; ``test_isolation``, ``test_properties``, ``test_views``.
- 38, secrets at rest: here; ``test_masking``, ``test_vault``, in runs ``graph/test_checkpoints`` and
  ``graph/test_secrets_in_calls``.
- 40, time zones: here; ``test_events`` (an instant keeps its zone), ``test_dates``.
- 42, search in Chinese and Japanese: here; ``test_lexical``.
- 45, broken characters: here; ``test_events`` (any characters), ``test_tokens`` (clipping), ``test_graphemes``.
- 46, another embedder: ``test_index`` (both names, nothing changes), ``test_dense`` (same size, other name),
  ``test_reembedding`` (everything anew, resumed, switched).
- 47, odd metadata: here.
- 49, several processes on one folder: ``test_durability`` (first opening, kills, read-only), ``test_health`` (disk).
- 51, bad vectors: here; ``test_embedders``, ``test_index``, ``test_vector_check`` (tried again).
- 54, direction of scores and cut-off: here; ``test_recall`` (nonsense, the text itself), ``test_index`` (0 to 1).
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_secretary.memory import CardDraft, Evidence, Role, Scope, Tier, TieredMemory, format_memories
from memory_secretary.memory.errors import InvalidRecord, MemorySecretaryError

ANA, ANA2 = Scope(user="ana", thread="t"), Scope(user="ana2", thread="t")

# --- case 34: one user's search returns another's --------------------------------------------------------------------


def test_case_34_of_two_like_named_users_each_has_their_own_on_every_path(memory: TieredMemory, tmp_path: Path) -> None:
    for number in range(200):
        memory.remember(ANA, f"car number {number}")
    mine = memory.remember(ANA2, "my car is grey")
    theirs = memory.list(ANA)[0]
    for role in (Role.USER, Role.RETRIEVER, Role.CONSOLIDATOR, Role.INSPECTOR, Role.SECRETARY):
        view: Any = memory.view(role, ANA2)
        assert [hit.ref for hit in view.recall("car", k=5)] == [mine.memory_id]
        assert view.cards() == [mine]
    for attempt in (memory.forget, memory.restore, memory.history):
        with pytest.raises(MemorySecretaryError):
            attempt(ANA2, theirs.memory_id)
    consolidated = CardDraft(content="cars", supersedes=[theirs.memory_id, mine.memory_id])
    memory.view(Role.CONSOLIDATOR, ANA2).write(consolidated)
    assert len(memory.list(ANA)) == 200
    memory.export(ANA2, tmp_path / "out.jsonl")
    assert "number" not in (tmp_path / "out.jsonl").read_text("utf-8")


# --- case 38: secrets at rest ----------------------------------------------------------------------------------------

SECRETS = (
    "tr0ub4dor-x9", "sk-" + "EXAMPLE" * 5, "AKIA" + "EXAMPLE0EXAMPLE0", "eyJhbGciOi.Zm9vYmFyYmF6",
    "MIIEowIBAAKCAQEAexample",
)  # fmt: skip
HARMLESS = (
    "no API key in the build", "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "run 0b1f5a0e-3c1d-4a59-9d43-5f1d2a7c1b11",
    "password policy changed in May",
)  # fmt: skip


def test_case_38_no_byte_of_a_secret_reaches_the_folder_and_harmless_lines_stay(tmp_path: Path) -> None:
    password, key, aws, bearer, pem = SECRETS
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{pem}\n-----END RSA PRIVATE KEY-----"
    said = f"remember: db password is {password}, and staging uses key {key}"
    env = f"AWS {aws}\nAuthorization: Bearer {bearer}\n{block}\n" + "\n".join(HARMLESS)
    with TieredMemory.open(tmp_path / "m", embedder=None) as memory:
        request = memory.view(Role.SECRETARY, ANA).record("user", "request", observation=said, queue_for="remember")
        event_id = memory.record(ANA, actor="tool", action="env", arguments={"db_password": password}, observation=env)
        memory.remember(ANA, said, value=f"password: {password}", applies_to=[f"the api key is {key}"])
        stored = memory.read(ANA, event_id)
        assert all(line in stored for line in HARMLESS)
        assert "db password is «secret:password», and staging uses key «secret:api-key»" in memory.read(
            ANA, request.event_id
        )
        memory.export(ANA, tmp_path / "m" / "out.jsonl")
    written = [file.read_bytes() for file in (tmp_path / "m").rglob("*") if file.is_file()]
    assert [secret for secret in SECRETS if any(secret.encode() in data for data in written)] == []


# --- case 40: time zones ---------------------------------------------------------------------------------------------


@pytest.fixture(params=["UTC", "Etc/GMT+11"])
def host_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the host's zone cannot be changed here")
def test_case_40_the_same_instant_is_each_speakers_own_day_wherever_the_host_stands(
    memory: TieredMemory, host_zone: str
) -> None:
    people = {"Asia/Shanghai": ("1 March", "3月1日"), "America/Los_Angeles": ("28 February", "2月28日")}
    for zone, (day, _) in people.items():
        scope = Scope(user=zone.replace("/", "-"), thread="t")
        memory.record(scope, actor="user", action="request", observation="took the pills just now", zone=zone)
        (event,) = memory.events(scope)
        assert (event.at, event.zone) == (datetime(2026, 2, 28, 16, 30, tzinfo=UTC), zone)
        hits = memory.recall(scope, f"what happened on {day}?")
        assert [hit.ref for hit in hits] == [event.event_id]
        local = day.split()
        assert format_memories(hits, zone=zone).count(f"-{int(local[0]):02d}]") == 1


def test_case_40_an_hour_that_the_clock_shows_twice_stays_two_instants(memory: TieredMemory) -> None:
    before = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)  # 02:30 in Berlin, and an hour later 02:30 again
    for hour in (0, 1):
        memory.record(
            ANA, actor="user", action="request", observation=f"pill {hour}", at=before + timedelta(hours=hour),
            zone="Europe/Berlin",
        )  # fmt: skip
    first, second = memory.events(ANA)
    assert second.at - first.at == timedelta(hours=1)
    assert [hit.text for hit in memory.recall(ANA, "pill", since=second.at)] == ["pill 1"]


# --- case 42: search in Chinese and Japanese -------------------------------------------------------------------------

WRITTEN = ("周五把备份脚本交给小周", "来週は京都で打ち合わせ", "GitHub备份在NAS-3上")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("备份", {0, 2}),
        ("京都", {1}),
        ("打ち合わせ", {1}),
        ("NAS-3", {2}),
        ("ＮＡＳ－３", {2}),
        ("小周", {0}),
        ("飞机", set()),
    ],
)
def test_case_42_a_word_inside_a_clause_finds_its_record(memory: TieredMemory, query: str, found: set[int]) -> None:
    refs = [memory.remember(ANA, text).memory_id for text in WRITTEN]
    assert {hit.ref for hit in memory.recall(ANA, query)} == {refs[number] for number in found}


# --- case 45: broken characters --------------------------------------------------------------------------------------

BROKEN = (
    "ok\u0000end", json.loads('"tail \\ud83e"'), "caf\u00e9".encode()[:-1].decode("utf-8", "surrogateescape"),
    "\x1b[31mred\x1b[0m", "a\u202eb",
)  # fmt: skip


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_case_45_broken_characters_become_visible_and_stop_nothing(
    memory: TieredMemory, tmp_path: Path, text: str
) -> None:
    event_id = memory.record(ANA, actor="tool", action="fetch", observation=text, arguments={"given": text})
    memory.remember(ANA, f"kiln {text}", applies_to=[text])
    stored = memory.read(ANA, event_id)
    stored.encode("utf-8")
    assert "\x00" not in stored
    assert stored != ""
    memory.recall(ANA, text)
    memory.export(ANA, tmp_path / "out.jsonl")
    with TieredMemory.open(":memory:", embedder=None) as other:
        other.import_(ANA, tmp_path / "out.jsonl")
        assert other.read(ANA, event_id) == stored
    with pytest.raises(MemorySecretaryError):
        memory.list(Scope(user=text))


# --- case 47: odd metadata -------------------------------------------------------------------------------------------


def test_case_47_odd_arguments_come_back_equal_and_block_no_other_record(memory: TieredMemory, tmp_path: Path) -> None:
    odd = {"tags": ["home", "urgent"], "due": None, "src": {"turn": 4}, "empty": [], "ok": True, "n": 3, "big": 2**70,
           "t": datetime(2026, 3, 1), "at": datetime(2026, 3, 1, 9, tzinfo=UTC), "days": [date(2026, 3, 1)],
           "own": {"$date": "soon"}}  # fmt: skip
    memory.record(ANA, actor="tool", action="note", arguments=odd, observation="first")
    memory.record(ANA, actor="tool", action="note", arguments={"x": float("nan")}, observation="second")
    with pytest.raises(InvalidRecord, match=r"arguments\.s is a set"):
        memory.record(ANA, actor="tool", action="note", arguments={"s": {1}})
    memory.export(ANA, tmp_path / "out.jsonl")
    with TieredMemory.open(":memory:", embedder=None) as other:
        other.import_(ANA, tmp_path / "out.jsonl")
        for each in (memory, other):
            first, second = each.events(ANA)
            assert first.arguments == odd
            assert type((first.arguments or {})["ok"]) is bool
            assert math.isnan((second.arguments or {})["x"])
    assert memory.recall(ANA, "urgent")[0].text == "first"


# --- case 51: bad vectors --------------------------------------------------------------------------------------------


class Moody:
    """A LangChain embedder that cannot take certain harmless texts."""

    def __init__(self) -> None:
        self.short_once = True

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        if "rizicích," in text:
            raise RuntimeError("500")
        if "v1/a/b" in text:
            return [math.nan] * 26
        if "…" in text:
            return [0.0] * 26
        if "once" in text and self.short_once:
            return [1.0] * 7
        return [text.lower().count(chr(97 + number)) + 0.01 for number in range(26)]


@pytest.mark.integration
def test_case_51_four_bad_texts_of_ten_are_kept_flagged_and_found_by_their_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [f"harmless {word}" for word in "kiln boat violin harbour garden ledger".split()]
    for place, bad in ((2, "o rizicích, prosím"), (4, "path v1/a/b"), (6, "and so on …"), (8, "only once wrong")):
        texts.insert(place, bad)
    embedder = Moody()
    with TieredMemory.open(tmp_path, embedder=embedder) as memory:
        ids = [memory.remember(ANA, text).memory_id for text in texts]
        good = {ids[number] for number in (0, 1, 3, 5, 7, 9)}
        memory.recall(ANA, "kiln")
        memory.reindex()
        assert {hit.ref for hit in memory.recall(ANA, "harmless", k=10, mode="semantic", floor=0.0)} == good
        assert memory._ledger.indexing.work(ANA.owner, "failed", limit=10, largest=9) != []
        for word, number in (("rizicích", 2), ("v1/a/b", 4), ("so on", 6), ("wrong", 8)):
            assert ids[number] in {hit.ref for hit in memory.recall(ANA, word, mode="lexical")}
        assert all(ids[number] in caplog.text for number in (2, 4, 6, 8))
        embedder.short_once = False
        memory.check()  # tries again, also in plain words
        left = {item.ref for item in memory._ledger.indexing.work(ANA.owner, "failed", limit=10, largest=9)}
        assert left <= {ids[4], ids[6]}
        assert memory._place.opened is not None
        assert memory._place.opened.refs(ANA.owner, Tier.SHORT) == set(ids) - left


# --- case 54: direction of scores and cut-off ------------------------------------------------------------------------


@pytest.mark.parametrize("tier", [Tier.SHORT, Tier.LONG])
def test_case_54_scores_mean_the_same_in_every_tier_and_nonsense_injects_nothing(
    memory: TieredMemory, tier: Tier
) -> None:
    facts = ["The kiln is blue", "Refunds take three days", "小周负责备份"]
    refs = [memory.remember(ANA, fact, tier=tier).memory_id for fact in facts]
    assert format_memories(memory.recall(ANA, "zqxv 8841 flibber")) == ""
    for ref, fact in zip(refs, facts, strict=True):
        hits = memory.recall(ANA, fact)
        assert hits[0].ref == ref
        assert hits[0].parts["similarity"] == 1.0
        assert all(0.0 <= hit.score <= 1.0 for hit in hits)
    assert len(memory.recall(ANA, "kiln", floor=0.0)) >= len(memory.recall(ANA, "kiln")) == 1


# --- related: what was forgotten -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said", "query"),
    [
        ("Allergic to kiwi fruit", "By the way, I am allergic to kiwi fruit", "allergic kiwi"),
        ("用户对猕猴桃过敏", "请记住：用户对猕猴桃过敏", "猕猴桃"),
    ],
)
def test_what_was_forgotten_leaves_every_tier_search_queue_export_and_in_the_end_the_disk(
    tmp_path: Path, words: str, said: str, query: str
) -> None:
    with TieredMemory.open(tmp_path / "m", embedder=None) as memory:
        event = memory.view(Role.SECRETARY, ANA).record("user", "request", observation=said, queue_for="remember")
        quote = Evidence(event_id=event.event_id, quote=said)
        card = memory.view(Role.PRECIPITATOR, ANA).write(CardDraft(content=words, evidence=[quote]))
        other = memory.remember(ANA, "The kiln is blue")
        long = memory.view(Role.CONSOLIDATOR, ANA).write(
            CardDraft(content=f"{words}. The kiln is blue", supersedes=[card.memory_id, other.memory_id])
        )
        would = memory.would_forget(ANA, card.memory_id)
        assert memory.recall(ANA, query) != []
        done = memory.forget(ANA, card.memory_id)
        assert (would.cards, would.events, would.queued) == (done.cards, done.events, done.queued)
        assert would.outlook == (
            "Forgetting takes out of every search: the card, 1 card made of it or saying the same, "
            "1 turn with its words (never to become cards any more). "
            "Until a vacuum, restore brings them back."
        )
        assert set(done.cards) == {card.memory_id, long.memory_id}
        assert (done.events, done.queued) == ((event.event_id,), 1)
        assert done.versions >= 4
        assert "vacuum" in done.sentence
        for mode in ("hybrid", "lexical", "recent"):
            assert [hit.ref for hit in memory.recall(ANA, query, mode=mode, floor=0.0, status="any")] in (
                [], [other.memory_id],
            )  # fmt: skip
        assert memory.list(ANA) == [memory.view(Role.USER, ANA).card(other.memory_id)]
        assert memory.pending(ANA) == []
        with pytest.raises(InvalidRecord, match="forgotten"):
            memory.view(Role.PRECIPITATOR, ANA).write(CardDraft(content=words, evidence=[quote]))
        memory.export(ANA, tmp_path / "out.jsonl")
        assert not held(tmp_path / "out.jsonl", words)
        assert memory.check().repaired == 0
        memory.vacuum()
    assert not [file for file in (tmp_path / "m").rglob("*") if file.is_file() and held(file, words)]


def held(file: Path, words: str) -> bool:
    data = file.read_bytes().lower()
    return words.lower().encode() in data or json.dumps(words)[1:-1].lower().encode() in data


def test_what_was_forgotten_can_be_restored_with_its_turns_until_the_vacuum(memory: TieredMemory) -> None:
    event_id = memory.record(ANA, actor="user", action="request", observation="I am allergic to kiwi fruit")
    card = memory.remember(ANA, "allergic to kiwi fruit")
    memory.forget(ANA, card.memory_id)
    assert memory.recall(ANA, "kiwi") == []
    memory.restore(ANA, card.memory_id)
    assert {hit.ref for hit in memory.recall(ANA, "kiwi")} == {card.memory_id, event_id}
    memory.forget(ANA, card.memory_id)
    memory.vacuum()
    with pytest.raises(MemorySecretaryError, match="no card"):
        memory.restore(ANA, card.memory_id)
    assert memory.read(ANA, event_id) == "[forgotten on the user's wish]"


def test_a_weight_that_was_lowered_can_be_restored_though_the_contradiction_stands(memory: TieredMemory) -> None:
    about = {"subject": "user", "attribute": "bank"}
    old = memory.remember(ANA, "Banks with Nordia", value="Nordia", **about)
    memory.remember(ANA, "Banks with Kestrel", value="Kestrel", **about)
    view = memory.view(Role.INSPECTOR, ANA)
    assert view.card(old.memory_id).weight == 0.5
    assert view.set_status(old.memory_id, weight=1.0, reason="settled").weight == 1.0
    view.set_status(old.memory_id, weight=0.5, reason="not settled")
    assert memory.restore(ANA, old.memory_id).weight == 1.0


def test_old_large_outputs_give_way_to_their_ends_and_evidence_and_open_tasks_stay(
    memory: TieredMemory, frozen_clock: Any
) -> None:
    page = "first line\n" + "row\n" * 10_000 + "total 417.25"
    old, proof = (memory.record(ANA, actor="tool", action="fetch", observation=page + mark) for mark in ("", " proof"))
    memory.view(Role.PRECIPITATOR, ANA).write(
        CardDraft(content="the total is 417.25", evidence=[Evidence(event_id=proof, quote="total 417.25")])
    )
    frozen_clock.advance(days=100)
    new = memory.record(ANA, actor="tool", action="fetch", observation=page + " new")
    done = memory.trim_outputs(older_than=timedelta(days=90))
    short = memory.read(ANA, old, length=10**6)
    assert (done.events, len(short) < 2_200) == (1, True)
    assert short.startswith("first line")
    assert short.endswith("total 417.25")
    assert f"{done.characters:,} characters were dropped" in short
    assert len(memory.read(ANA, proof, length=10**6)) == len(page) + len(" proof")
    assert memory.read(ANA, new, length=10**6).endswith("new")
    assert memory.check().repaired == 0
    assert memory.trim_outputs(older_than=timedelta(days=90)).events == 0
    with pytest.raises(InvalidRecord, match="larger_than"):
        memory.trim_outputs(older_than=timedelta(days=1), larger_than=10)


@pytest.mark.parametrize(
    ("preference", "situation", "asked"),
    [
        (
            "Prefers short answers",
            "writing a weekly report, a summary or a template",
            "Please draft a weekly report template",
        ),
        ("用户喜欢简洁的回答风格", "写周报、总结或模板", "帮我写个周报模板"),
    ],
)
def test_a_preference_comes_for_the_situation_it_is_for_though_no_word_is_shared(
    memory: TieredMemory, preference: str, situation: str, asked: str
) -> None:
    card = memory.remember(ANA, preference, applies_to=[situation])
    for number in range(5):
        memory.remember(ANA, f"The kiln of shed {number} is blue")
    assert memory.recall(ANA, asked)[0].ref == card.memory_id
