from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import TieredMemory
from memory_secretary.tools.sandbox import MAX_BYTES, OutsidePath, Sandbox, WorkspaceError, decode


@pytest.fixture
def box(tmp_path: Path) -> Sandbox:
    root = tmp_path / "root"
    (root / "reports" / "harwick").mkdir(parents=True)
    (root / "reports" / "harwick" / "2025-01.md").write_text("snow", encoding="utf-8")
    (root / "reports" / "柳桥").mkdir()
    (root / "reports" / "柳桥" / "一月.md").write_text("雪", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return Sandbox(root)


@pytest.mark.parametrize(
    "name",
    [
        "../secret.txt",
        "reports/../../secret.txt",
        "..\\secret.txt",
        "/etc/passwd",
        "C:\\x",
        "~/x",
        "a\x00b",
        "reports/../..",
    ],
)
def test_no_name_leads_out_of_the_folder(box: Sandbox, name: str) -> None:
    with pytest.raises(WorkspaceError, match="workspace"):
        box.file(name)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("empty"))


@given(st.text(alphabet="./\\ a~:柳\x00", max_size=20))
def test_any_name_stays_inside_or_is_refused(empty: Sandbox, name: str) -> None:
    try:
        place = empty.place(name)
    except WorkspaceError:
        return
    assert place.is_relative_to(empty.root)


def test_links_that_lead_out_are_neither_listed_nor_read(box: Sandbox) -> None:
    (box.root / "link.txt").symlink_to(box.root.parent / "secret.txt")
    (box.root / "folder").symlink_to(box.root.parent, target_is_directory=True)
    assert "link.txt" not in [box.name(path) for path in box.files(box.root)]
    for name in ("link.txt", "folder/secret.txt"):
        with pytest.raises(WorkspaceError, match="leads out"):
            box.file(name)


def test_links_in_a_circle_are_an_error_and_not_a_crash(box: Sandbox) -> None:
    (box.root / "a").symlink_to(box.root / "b")
    (box.root / "b").symlink_to(box.root / "a")
    with pytest.raises(WorkspaceError):
        box.file("a")


def test_a_link_inside_the_folder_is_followed(box: Sandbox) -> None:
    (box.root / "newest.md").symlink_to(box.root / "reports/harwick/2025-01.md")
    assert box.text(box.file("newest.md")) == "snow"


def test_slashes_of_both_kinds_and_a_leading_dot_are_understood(box: Sandbox) -> None:
    assert box.file(".\\reports\\harwick\\2025-01.md") == box.file("./reports/harwick/2025-01.md")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("reports/harwick/2025-13.md", "reports/harwick/2025-01.md"),
        ("2025-01.md", "reports/harwick/2025-01.md"),
        ("Reports/Harwick/2025-01.MD", "reports/harwick/2025-01.md"),
        ("reports/柳桥/二月.md", "reports/柳桥/一月.md"),
    ],
)
def test_a_missing_file_names_close_ones(box: Sandbox, wrong: str, right: str) -> None:
    if Path(box.root, wrong).exists():
        pytest.skip("this file system knows no case")
    with pytest.raises(WorkspaceError, match=right):
        box.file(wrong)


def test_a_missing_folder_names_close_ones(box: Sandbox) -> None:
    with pytest.raises(WorkspaceError, match="There are: reports/harwick"):
        box.folder("reports/harwik")
    with pytest.raises(WorkspaceError, match=r"There are: .*reports/harwick"):
        box.folder("六月")


def test_a_folder_is_no_file_and_a_file_no_folder(box: Sandbox) -> None:
    with pytest.raises(WorkspaceError, match="list_files"):
        box.file("reports")
    with pytest.raises(WorkspaceError, match="read_file"):
        box.folder("reports/harwick/2025-01.md")


def test_composed_and_decomposed_names_are_the_same_name(box: Sandbox) -> None:
    (box.root / "cafe\u0301.txt").write_text("tea", encoding="utf-8")
    assert box.text(box.file("caf\u00e9.txt")) == "tea"


def test_hidden_files_are_not_listed(box: Sandbox) -> None:
    (box.root / ".env").write_text("k=v", encoding="utf-8")
    (box.root / ".git").mkdir()
    (box.root / ".git" / "config").write_text("x", encoding="utf-8")
    assert [box.name(path) for path in box.files(box.root)] == ["reports/harwick/2025-01.md", "reports/柳桥/一月.md"]


def test_the_root_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="create it"):
        Sandbox(tmp_path / "none")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030", "gbk"])
def test_chinese_text_is_read_whatever_its_encoding(encoding: str) -> None:
    text = "柴油用量一万一千六百四十升，上月少。\nNo change."
    assert decode(text.encode(encoding), "x") == text


def test_western_text_of_old_systems_is_read() -> None:
    assert decode("Müller’s café: 5 £".encode("cp1252"), "x") == "Müller’s café: 5 £"


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc")), max_size=200))
def test_utf8_is_always_read_unchanged(text: str) -> None:
    assert decode(text.encode("utf-8"), "x") == text.removeprefix("\ufeff")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00", b"%PDF-1.7 text", bytes(range(256)), b"\xff\xfe\x00"])
def test_binary_files_are_refused(data: bytes) -> None:
    with pytest.raises(WorkspaceError, match="not a text file"):
        decode(data, "x")


def test_a_huge_file_is_refused_without_reading_it(box: Sandbox) -> None:
    path = box.root / "huge.txt"
    with path.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    with pytest.raises(WorkspaceError, match="larger"):
        box.text(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_read_permission_is_named(box: Sandbox) -> None:
    path = box.root / "locked.txt"
    path.write_text("x", encoding="utf-8")
    path.chmod(0)
    with pytest.raises(WorkspaceError, match="cannot be read"):
        box.text(path)


def test_a_name_that_was_made_up_leads_to_the_files_with_its_words(tmp_path):
    (tmp_path / "reports").mkdir()
    for month, said in (("05", "丙烷用量310公斤"), ("06", "釉料用量12公斤")):
        (tmp_path / "reports" / f"2025-{month}.md").write_text(f"# 窑房月报\n\n{said}。", "utf-8")
    (tmp_path / "picture.bin").write_bytes(b"\x00\xff\x00")
    with pytest.raises(WorkspaceError, match=r"Close: reports/2025-05\.md\."):
        Sandbox(tmp_path).file("窑房丙烷用量.csv")
    with pytest.raises(WorkspaceError, match="list_files"):
        Sandbox(tmp_path).file("unicorns.csv")


def test_a_memory_kept_in_the_folder_is_neither_seen_nor_written_over(box: Sandbox) -> None:
    with TieredMemory.open(box.root / "memory", embedder=None):
        (box.root / "memory" / "said.txt").write_text("the king is bald", encoding="utf-8")
        assert "memory/said.txt" not in map(box.name, box.files(box.root))
        for name in ("memory/said.txt", "memory/ledger.db", "memory/new/plan.md", "memory"):
            with pytest.raises(OutsidePath, match="belongs to the memory"):
                box.place(name)
    (box.root / "memories.md").write_text("mine", encoding="utf-8")
    assert box.text(box.file("memories.md")) == "mine"
