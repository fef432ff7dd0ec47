from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context

import pytest

from memory_secretary.memory.bilingual import said, speaking, spoken
from memory_secretary.memory.errors import NotFound
from memory_secretary.memory.tokens import clip


def test_english_is_spoken_outside_and_the_language_before_comes_back():
    assert said("yes", "是") == "yes"
    with speaking("zh"):
        assert said("yes", "是") == "是"
        with speaking("en"):
            assert spoken() == "en"
        assert spoken() == "zh"
    assert spoken() == "en"


def test_a_thread_that_runs_in_the_callers_context_speaks_its_language():
    with speaking("zh"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(copy_context().run, said, "yes", "是").result() == "是"
        assert pool.submit(said, "yes", "是").result() == "yes"


def test_what_was_clipped_is_noted_in_the_language_spoken():
    text = "这批货物已经到达码头。" * 200
    assert "characters left out" in clip(text, 200)
    with speaking("zh"):
        noted = clip(text, 200, ref="evt_1")
        assert "略去" in noted
        assert 'read_record("evt_1", start=' in noted
        assert "characters" not in noted


def test_an_error_keeps_the_language_that_was_spoken_where_it_was_raised():
    with speaking("zh"):
        inside = NotFound("there is no card", zh="没有这张卡片")
        only_english = NotFound("there is no card")
    assert (str(inside), inside.sentence("en"), inside.sentence("zh")) == (
        "没有这张卡片", "there is no card", "没有这张卡片",
    )  # fmt: skip
    assert str(only_english) == "there is no card"
    assert str(NotFound("there is no card", zh="没有这张卡片")) == "there is no card"


@pytest.mark.parametrize(("named", "lang"), [("zh", "zh"), (" zh ", "zh"), ("en", "en"), ("fr", "en"), ("", "en")])
def test_in_python_the_variable_names_the_language(monkeypatch, named, lang):
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", named)
    assert Context().run(spoken) == lang
    with speaking("en"):
        assert spoken() == "en"


@pytest.mark.parametrize(
    ("named", "system", "lang"),
    [("", "zh_CN.UTF-8", "zh"), ("en", "zh_CN.UTF-8", "en"), ("auto", "zh_TW", "zh"), ("", "de_DE.UTF-8", "en")],
)
def test_in_python_errors_are_in_the_language_of_the_system_where_nothing_is_said(monkeypatch, named, system, lang):
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", named)
    monkeypatch.setenv("LANG", system)
    error = Context().run(NotFound, "there is no card", zh="没有这张卡片")
    assert str(error) == {"en": "there is no card", "zh": "没有这张卡片"}[lang]
