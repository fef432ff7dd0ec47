"""How a model's reply is read, and held against what the user said."""

from __future__ import annotations

import json

import pytest
from bad_replies import EN, UNUSABLE, USABLE, ZH
from hypothesis import given, settings
from hypothesis import strategies as st
from turns_said import said

from memory_secretary.memory.records import Kind, MemoryType
from memory_secretary.nodes.extraction import MARKERS, PROMPT, Item, Refusal, prompt_of, read_reply, schema_of
from memory_secretary.nodes.grounded_cards import as_said, ground
from memory_secretary.nodes.matters import matter_of
from memory_secretary.nodes.own_words import lines_of


def one(text):
    [line] = lines_of(said(text))
    return line


def grounded(text, **parts):
    return ground(Item(**parts), [one(text)])


@pytest.mark.parametrize("text", [EN, ZH])
@pytest.mark.parametrize("reply", UNUSABLE)
def test_a_bad_reply_gives_no_card_and_says_why(reply, text):
    reading = read_reply(reply)
    found = [ground(item, [one(text)]) for item in reading.items]
    for refusal in found:  # a wording in another language gives way to the statement itself
        assert (isinstance(refusal, Refusal) and refusal.reason) or [card.content for card in refusal] == [ZH]
    assert reading.problem or reading.refused or found


@pytest.mark.parametrize("reply", USABLE)
def test_a_reply_that_is_wrapped_or_partly_good_gives_what_is_good(reply):
    found = [ground(item, [one(EN)]) for item in read_reply(reply).items]
    [[card]] = [cards for cards in found if not isinstance(cards, Refusal)]
    assert "12 hives" in card.content and not any(word in card.content for word in ("120", "not", "Boden"))


KEYS = st.sampled_from(["cards", "content", "line", "1", "facts", "type", "properties"])
LEAVES = st.none() | st.text(max_size=9) | st.integers()
DATA = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner))


@given(st.text(max_size=200) | DATA.map(json.dumps))
@settings(max_examples=200, deadline=None)
def test_no_reply_raises(reply):
    for item in read_reply(reply).items:
        ground(item, [one(EN)])


def test_one_bad_item_never_sinks_its_neighbours():
    reading = read_reply(
        '{"facts":[{"text":"keeps bees","tier":"long"},{"text":null,"tier":"long"},{"content":"hates lifts"},'
        '{"text":"  ","tier":"eternal"}]}'
    )
    assert [item.content for item in reading.items] == ["keeps bees", "hates lifts"]
    assert len(reading.refused) == 2 and all(refusal.reason for refusal in reading.refused)


def test_a_brace_inside_a_text_is_a_text():
    assert [item.content for item in read_reply('{"facts": ["uses {x} in templates"]}').items] == [
        "uses {x} in templates"
    ]


def test_of_a_reply_that_was_cut_off_the_whole_items_are_read():
    reading = read_reply('{"cards": [{"line": "1", "content": "keeps 12 hives"}, {"line": "1", "cont')
    assert [item.content for item in reading.items] == ["keeps 12 hives"]
    assert reading.problem


def test_the_prompt_names_speaker_and_day_and_its_examples_are_marked():
    prompt = prompt_of([one(EN), one(ZH)])
    assert f"ana said on 2026-05-03:\n1. {EN}\n2. {ZH}" in prompt
    assert prompt.count("said on") == 1
    assert all(any(marker in line for line in PROMPT.splitlines()) for marker in MARKERS[:2])
    assert "holds no JSON" in prompt_of([one(EN)], "the reply holds no JSON object")
    assert schema_of(3)["properties"]["cards"]["items"]["properties"]["line"]["enum"] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("text", "content", "kept"),
    [
        ("I never eat meat.", "The user eats meat.", "I never eat meat."),
        ("我从不吃肉。", "用户吃肉。", "我从不吃肉。"),
        ("I paid 450 euros to Ruth.", "The user paid 540 euros to Ruth.", "I paid 450 euros to Ruth."),
        ("My colleague Tarek can't eat nuts.", "The user can't eat nuts.", "My colleague Tarek can't eat nuts."),
        ("我同事塔雷克不能吃坚果。", "不能吃坚果", "我同事塔雷克不能吃坚果。"),
        ("I bank with Nordia.", "banking with Nordia", "I bank with Nordia."),
        ("我受不了邮件开头的寒暄。", "我不受不了邮件开头的寒暄。", "我受不了邮件开头的寒暄。"),
        ("我养蜂。", "The user keeps bees.", "我养蜂。"),
        ("Remember that I eat no nuts.", "", "I eat no nuts."),
        ("I bank with Nordia.", "The user banks with Nordia.", "The user banks with Nordia."),
        ("我在招商银行开的户。", "用户在招商银行开户。", "用户在招商银行开户。"),
    ],
)
def test_a_wording_is_kept_only_where_it_says_what_the_user_said(text, content, kept):
    [card] = ground(Item(line=1, content=content, attribute="x"), [one(text)])
    assert (card.content, card.line.text) == (kept, text)


@pytest.mark.parametrize(
    ("text", "subject", "type_"),
    [
        ("I prefer answers under 200 words.", "user", MemoryType.PREFERENCE),
        ("以后金额都用人民币表示。", "user", MemoryType.PREFERENCE),
        ("My colleague Tarek likes tea.", "Tarek", MemoryType.FACT),
        ("Invoices above 5,000 euros must be approved by Ruth.", "", MemoryType.RULE),
        ("We spend no more than 300 euros on a trip.", "user", MemoryType.CONSTRAINT),
        ("超过5000元的发票必须由李梅审批。", "", MemoryType.RULE),
        ("I live in Brno.", "user", MemoryType.FACT),
    ],
)
def test_of_whom_and_what_kind_a_card_is_is_told_by_the_statement(text, subject, type_):
    [card] = grounded(text, line=1, about="user", type="preference")
    assert (card.subject, card.type) == (subject, type_)


def test_an_inference_comes_with_its_fact_and_is_no_preference():
    cards = grounded(
        "I asked about returns three times.", line=1, content="The user cares a lot about returns.", kind="inference"
    )
    assert [(card.kind, card.content) for card in cards] == [
        (Kind.FACT, "I asked about returns three times."),
        (Kind.INFERENCE, "The user cares a lot about returns."),
    ]
    assert cards[1].type is MemoryType.FACT


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("I prefer answers under 200 words.", "answer length"),
        ("回答请控制在200字以内", "answer length"),
        ("I bank with Nordia.", "bank"),
        ("Switched to Kestrel Bank last week.", "bank"),
        ("上周我换到工商银行了。", "bank"),
        ("我的账户现在改在海棠银行。", "bank"),
        ("I moved to flat 12.", "home"),
        ("我上周搬到了柳桥路12号。", "home"),
        ("I work as a nurse.", "job"),
        ("我是护士，上夜班。", "job"),
        ("From now on give me amounts in euros.", "currency"),
        ("Answer in French.", "answer language"),
        ("We have just moved house, it's Cardiff now.", "home"),
        ("我们搬家了，现在住昆明。", "home"),
        ("I write my notes in Helix.", ""),
        ("I keep bees.", ""),
        ("我养蜂。", ""),
    ],
)
def test_what_can_have_one_value_at_a_time_has_one_name_in_both_languages(text, matter):
    assert matter_of(text) == matter


@pytest.mark.parametrize("name", ["preference", "work", "dislikes", "allergies", "12", "Lake Orrin"])
def test_a_vague_attribute_of_the_models_is_not_taken(name):
    [card] = grounded(EN, line=1, attribute=name, value="Lake Orrin")
    assert (card.attribute, card.value) == ("", "")


def test_a_value_has_to_stand_in_the_statement():
    [card] = grounded(EN, line=1, attribute="hives", value="13", when="planning the honey harvest")
    assert (card.attribute, card.value, card.applies_to) == ("hives", "", ("hives",))


def test_what_was_asked_to_be_kept_is_a_card_in_the_users_own_words():
    card = as_said(one("Remember: I'm allergic to kiwi."))
    assert (card.content, card.subject, card.kind) == ("I'm allergic to kiwi.", "user", Kind.FACT)
