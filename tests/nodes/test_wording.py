import re
from dataclasses import fields
from string import Formatter

import pytest

from memory_secretary.nodes.wording import EN, ZH, Wording, wording

NAMES = [entry.name for entry in fields(Wording)]


def slots(text):
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_say_it_with_the_same_slots(name):
    assert getattr(EN, name).strip() and getattr(ZH, name).strip()
    assert slots(getattr(EN, name)) == slots(getattr(ZH, name))


@pytest.mark.parametrize("name", NAMES)
def test_each_language_keeps_to_itself(name):
    assert not re.search(r"[\u3400-\u9fff]", getattr(EN, name))
    assert re.search(r"[\u3400-\u9fff]", getattr(ZH, name))


def test_the_memory_heading_is_the_sources_own():
    assert ZH.recalled == "以下是可能相关的历史记忆，请结合当前对话参考"


def test_an_unknown_language_falls_back_to_english():
    assert wording("zh") is ZH
    assert wording("en") is wording("fr") is EN
