import pytest

from memory_secretary.nodes.nearness import nearest_first

MONTHS = [f"reports/harwick/2025-{month:02}.md" for month in range(1, 13)]


def names(found, request):
    return [name for name, _ in nearest_first([(name, None) for name in found], request)]


@pytest.mark.parametrize("request_", ["How many litres of diesel were used in June?", "六月的柴油用了多少升？"])
def test_the_month_of_the_request_comes_first_and_the_rest_stays_in_order(request_):
    june = "reports/harwick/2025-06.md"
    assert names(MONTHS, request_) == [june, *(one for one in MONTHS if one != june)]


@pytest.mark.parametrize("request_", ["Compare June with March.", "比较六月和三月。"])
def test_of_several_months_the_order_is_that_of_discovery(request_):
    assert names(MONTHS, request_)[:2] == ["reports/harwick/2025-03.md", "reports/harwick/2025-06.md"]


def test_a_month_outweighs_words_and_words_outweigh_nothing():
    found = ["notes/roof.md", "notes/diesel_limits.md", "mail/june.txt"]
    assert names(found, "What is the diesel limit in June?") == [
        "mail/june.txt",
        "notes/diesel_limits.md",
        "notes/roof.md",
    ]
    assert names(["库存/叉车.md", "报告/柴油.md"], "柴油用了多少升？") == ["报告/柴油.md", "库存/叉车.md"]


def test_a_request_that_names_nothing_of_it_changes_nothing():
    assert names(MONTHS, "How much rain fell in all?") == MONTHS
    assert names([], "anything in June?") == []
