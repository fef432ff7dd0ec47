"""Where a search's words stand, when no line has them together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.tools.nearest import nearest_files

FILES = {
    "reports/2025-05.md": "# Kiln house, May 2025\n\nPropane burnt: 310 kg. In June we expect more.",
    "reports/2025-06.md": "# Kiln house, June 2025\n\nPropane burnt: 402 kg. In May it was 310 kg.",
    "报表/2025年05月.md": "# 窑房五月月报\n\n丙烷用量310公斤，预计六月更多。",
    "报表/2025年06月.md": "# 窑房六月月报\n\n丙烷用量402公斤，五月为310公斤。",
    "invoices/glaze.md": "Invoice for glaze and brushes, to be paid by Monday.",
    "发票/釉料.md": "釉料与毛笔的发票，周一前付款。",
    "notes/roof.txt": "The roof over the drying racks leaks.",
}


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ("propane consumption June 2025", ["reports/2025-06.md"]),
        ("窑房2025年5月丙烷使用量", ["报表/2025年05月.md"]),
        ("propane per month", ["reports/2025-05.md", "reports/2025-06.md"]),
        ("glaze brushes invoice", ["invoices/glaze.md"]),
        ("毛笔 釉料", ["发票/釉料.md"]),
        ("a unicorn that dances", []),
        ("独角兽跳舞", []),
        ("the of and", []),
        ("6月", ["reports/2025-06.md", "报表/2025年06月.md"]),
    ],
)
def test_the_files_with_most_of_the_words_are_named(wanted, names):
    assert sorted(nearest_files(wanted, FILES.items(), 5)) == sorted(names)


def test_no_more_are_named_than_are_wanted():
    assert len(nearest_files("propane per month", FILES.items(), 1)) == 1


@given(st.text(max_size=40), st.dictionaries(st.text(max_size=10), st.text(max_size=40), max_size=4))
def test_any_text_is_borne(wanted, files):
    assert set(nearest_files(wanted, files.items(), 3)) <= set(files)
