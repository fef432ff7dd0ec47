from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memory_secretary.tools.example_workspace import changed_files, copy_example
from memory_secretary.tools.sandbox import Sandbox, WorkspaceError


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return copy_example(tmp_path / "work")


def test_about_forty_documents_of_every_kind_are_shipped(copied: Path) -> None:
    box = Sandbox(copied)
    kinds = Counter(box.name(path).split("/")[0] for path in box.files(copied))
    assert kinds["reports"] == 24
    assert kinds["invoices"] >= 6
    assert kinds["notes"] + kinds["mail"] + kinds["logs"] >= 6
    assert kinds["tables"] >= 4
    assert 38 <= sum(kinds.values()) <= 50


def test_every_document_can_be_read(copied: Path) -> None:
    box = Sandbox(copied)
    texts = [box.text(path) for path in box.files(copied)]
    assert all(len(text) > 150 for text in texts)
    assert "\ufffd" not in "".join(texts)


def test_no_two_reports_share_a_long_line(copied: Path) -> None:
    lines = Counter(
        line
        for path in (copied / "reports").rglob("*.md")
        for line in set(path.read_text("utf-8").splitlines())
        if len(line) > 60
    )
    assert max(lines.values()) == 1


def test_a_folder_in_use_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x", encoding="utf-8")
    with pytest.raises(WorkspaceError, match="not empty"):
        copy_example(tmp_path)


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    assert (copy_example(tmp_path / "work") / "notes").is_dir()


def test_changes_are_seen(copied: Path) -> None:
    assert changed_files(copied) == []
    (copied / "notes" / "new.md").write_text("x", encoding="utf-8")
    (copied / "notes" / "limits-2025.md").write_text("x", encoding="utf-8")
    (copied / "logs" / "gate-2025-03-19.txt").unlink()
    assert changed_files(copied) == ["logs/gate-2025-03-19.txt", "notes/limits-2025.md", "notes/new.md"]
