import pytest

from memory_secretary.graph.cli_language import language_on, spoken


@pytest.mark.parametrize(
    ("variables", "text", "lang"),
    [
        ({}, "", "en"),
        ({}, "列出本周的发票", "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "", "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "", "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "", "zh"),
        ({"LC_ALL": "zh_CN.UTF-8", "MEMORY_SECRETARY_LANG": "en"}, "列出", "en"),
        ({"MEMORY_SECRETARY_LANG": "zh"}, "list", "zh"),
        ({"MEMORY_SECRETARY_LANG": "auto"}, "列出", "zh"),
    ],
)
def test_the_language_is_the_one_named_else_that_of_the_words_or_the_system(monkeypatch, variables, text, lang):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert spoken(None, text) == lang
    assert spoken("en", text) == "en"
    assert spoken("zh", text) == "zh"


@pytest.mark.parametrize(
    ("words", "lang"),
    [
        (["run", "--lang", "zh", "--help"], "zh"),
        (["--help", "--lang=zh"], "zh"),
        (["memory", "search", "zh"], "en"),
        (["run", "--lang"], "en"),
        (["run", "--lang", "fr"], "en"),
        ([], "en"),
    ],
)
def test_the_language_of_a_line_is_the_one_that_it_names_wherever(monkeypatch, words, lang):
    monkeypatch.setenv("MEMORY_SECRETARY_LANG", "en")
    assert language_on(words) == lang
