from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.graph.settings import PREFIX, RunContext, Settings, from_environment, scope_of, settled
from memory_secretary.memory.errors import InvalidRecord, ScopeError, SettingsError
from memory_secretary.nodes.language import language_of
from memory_secretary.nodes.options import MECHANISMS, Options


def test_the_defaults_are_sound_and_every_mechanism_is_a_switch():
    off = {name for name in MECHANISMS if not getattr(Settings(), name)}
    assert off == {"asking", "methods"}, "only what was not shown to pay with a real model"
    assert {entry.name for entry in fields(Options) if entry.type == "bool"} == set(MECHANISMS)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("executor_window", 1023), ("executor_window", "4096"), ("executor_window", 4096.0), ("secretary_window", 0),
        ("max_steps", 0), ("max_steps", True), ("recall_k", -1), ("recall_k", None), ("secretary_calls", -1),
        ("lang", "fr"), ("lang", None), ("menu", "off"), ("brief", 1), ("gate", None),
    ],
)  # fmt: skip
def test_a_value_that_no_run_could_work_with_is_refused_by_name(name, bad):
    with pytest.raises(SettingsError, match=name):
        Settings(**{name: bad})
    with pytest.raises(SettingsError, match="no_such"):
        settled(Settings(), {"no_such": 1})


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("executor_window", (1024, 2_000_000)),
        ("max_steps", (1, 100_000)),
        ("recall_k", (0, 100)),
        ("lang", ("en", "zh")),
    ],
)
def test_the_edges_of_a_range_belong_to_it(name, edges):
    assert all(getattr(Settings(**{name: edge}), name) == edge for edge in edges)


# --- from the environment ------------------------------------------------------------------------------------------


def test_variables_change_the_defaults_in_their_own_types():
    found = from_environment(
        {
            f"{PREFIX}EXECUTOR_WINDOW": " 2048 ", f"{PREFIX}MENU": "off", f"{PREFIX}GATE": "YES", f"{PREFIX}LANG": "zh",
            f"{PREFIX}USER_ID": "小林", f"{PREFIX}ZONE": "", "EXECUTOR_WINDOW": "1",
        }
    )  # fmt: skip
    assert found == Settings(executor_window=2048, menu=False, gate=True, lang="zh", user_id="小林")


def test_without_variables_the_defaults_hold(monkeypatch):
    assert from_environment({}) == from_environment() == Settings()
    monkeypatch.setenv(f"{PREFIX}MAX_STEPS", "7")
    assert from_environment().max_steps == 7


@pytest.mark.parametrize(
    ("variable", "text"),
    [("MENU", "maybe"), ("MAX_STEPS", "many"), ("MAX_STEPS", "0"), ("LANG", "klingon"), ("RECALL_K", "5.5")],
)
def test_a_variable_that_cannot_be_read_is_refused_by_name(variable, text):
    with pytest.raises(SettingsError, match=variable if text in ("maybe", "many", "5.5") else variable.lower()):
        from_environment({PREFIX + variable: text})


# --- the context of one call ---------------------------------------------------------------------------------------


def test_a_context_says_what_differs_and_inherits_the_rest():
    base = Settings(user_id="ana", max_steps=9, menu=False)
    assert settled(base, None) is base
    assert settled(base, RunContext()) == base
    assert settled(base, {}) == base
    changed = settled(base, RunContext(user_id="ben", menu=True, lang="zh"))
    assert changed == Settings(user_id="ben", max_steps=9, menu=True, lang="zh")
    assert settled(base, {"user_id": "ben", "menu": True, "lang": "zh", "zone": None}) == changed
    assert base == Settings(user_id="ana", max_steps=9, menu=False)


def test_a_switch_can_be_turned_off_for_one_call():
    assert all(getattr(settled(Settings(), {name: False}), name) is False for name in MECHANISMS)
    assert settled(Settings(), RunContext(recall_k=0)).recall_k == 0


def test_a_context_is_checked_like_settings():
    with pytest.raises(SettingsError, match="max_steps"):
        settled(Settings(), RunContext(max_steps=0))
    with pytest.raises(SettingsError, match="menu"):
        settled(Settings(), {"menu": "off"})


def test_settings_and_context_name_the_same_things():
    assert [entry.name for entry in fields(RunContext)] == [entry.name for entry in fields(Settings)]
    assert all(entry.default is None for entry in fields(RunContext))


@pytest.mark.parametrize("entry", fields(Settings), ids=lambda entry: entry.name)
def test_every_setting_is_described_in_both_languages_with_its_default(entry):
    assert language_of(entry.metadata["description"]) == "en"
    assert language_of(entry.metadata["zh"]) == "zh"
    [shown] = [field.metadata["description"] for field in fields(RunContext) if field.name == entry.name]
    assert shown.startswith(entry.metadata["description"])
    assert entry.default is None or str(entry.default) in shown


def test_an_unknown_setting_is_named_with_the_known_ones_in_both_languages():
    with pytest.raises(
        SettingsError, match=r"unknown setting max_step in the context; known are .*max_steps"
    ) as caught:
        RunContext(max_step=3)
    assert "max_step " in caught.value.sentence("zh")
    assert "不存在" in caught.value.sentence("zh")


def test_a_zone_that_does_not_exist_is_named():
    with pytest.raises(InvalidRecord, match="Mars/Base"):
        Settings(zone="Mars/Base")


# --- whose memory --------------------------------------------------------------------------------------------------


def test_a_scope_is_made_of_the_identity_and_the_thread():
    scope = scope_of(Settings(user_id="小林", team_id="depot", agent="clerk"), "t1")
    assert (scope.user, scope.team, scope.agent, scope.thread) == ("小林", "depot", "clerk", "t1")


@given(st.sampled_from(["", " ", " ana", "ana\u0000", "a\nb", "a\u202eb"]))
def test_a_missing_or_unusable_user_is_never_read_as_all(user):
    with pytest.raises(ScopeError):
        scope_of(Settings(), "t1")
    with pytest.raises(ScopeError):
        scope_of(settled(Settings(user_id="ana"), RunContext(user_id=user)), "t1")
