"""What is to be done now, and what a demand beside a task holds for."""

from __future__ import annotations

import pytest

from memory_secretary.nodes.orders import is_for_now, is_order


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Add up the June invoices, and answer in one sentence.", True),
        ("把六月的发票加起来，只用一句话回答。", True),
        ("请将两份报价汇总。", True),
        ("Always add up the invoices in euros.", False),
        ("以后把金额都写成人民币。", False),
        ("Keep your answers under ten words.", False),
        ("说话简短一点。", False),
        ("数学老师是我妈妈。", False),
    ],
)
def test_an_order_is_done_once(text, order):
    assert is_order(text) is order


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("Answer in one sentence.", True),
        ("Only use the March file.", True),
        ("Do not use the calculator.", True),
        ("用一句话回答我。", True),
        ("不要读二月的文件。", True),
        ("Never answer in more than one sentence.", False),
        ("I'd like answers in French.", False),
        ("Call me Ana.", False),
        ("We keep the spare key at the bakery.", False),
        ("回答都用中文。", False),
        ("我喜欢简短的回答。", False),
        ("叫我小李。", False),
    ],
)
def test_a_demand_without_a_word_for_later_is_for_now(text, now):
    assert is_for_now(text) is now
