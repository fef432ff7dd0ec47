"""Which files paths mean: folders, patterns, links that lead back, and what cannot be looked at."""

from __future__ import annotations

import os

import pytest

from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import NotFound
from memory_secretary.nodes.distill.files import demand_places, files_of


@pytest.fixture
def folder(tmp_path):
    for name in ("b.txt", "a.md", "deep/c.csv", ".hidden/d.txt", "deep/.e.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    return tmp_path


def names(found, folder):
    return [path.relative_to(folder.resolve()).as_posix() for path in found.files]


def test_a_folder_means_all_below_it_in_order_without_hidden_names(folder):
    assert names(files_of([str(folder)]), folder) == ["a.md", "b.txt", "deep/c.csv"]


def test_a_file_named_twice_is_one_and_an_order_is_kept(folder):
    found = files_of([str(folder / "b.txt"), str(folder), str(folder / "deep" / ".." / "b.txt")])
    assert names(found, folder) == ["b.txt", "a.md", "deep/c.csv"]


def test_patterns_cross_levels_and_one_that_fits_nothing_is_a_failure(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert names(files_of(["**/*.csv", "*.md"]), folder) == ["deep/c.csv", "a.md"]
    found = files_of(["*.pdf", "no.txt", "a.md"])
    assert names(found, folder) == ["a.md"]
    assert [one["path"] for one in found.failures] == ["*.pdf", "no.txt"]


def test_links_that_lead_back_end_and_linked_folders_are_walked_once(folder):
    (folder / "deep" / "up").symlink_to(folder)
    (folder / "again").symlink_to(folder / "deep")
    (folder / "loop").symlink_to(folder / "loop")
    found = files_of([str(folder)])
    assert sorted(path.name for path in found.files) == ["a.md", "b.txt", "c.csv", "loop"]


def test_an_empty_folder_is_told_in_both_languages(tmp_path):
    for lang, word in (("en", "no document"), ("zh", "没有文档")):
        with speaking(lang):
            [failure] = files_of([str(tmp_path)]).failures
        assert word in failure["reason"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_a_failure(folder):
    (folder / "deep").chmod(0)
    try:
        found = files_of([str(folder)])
    finally:
        (folder / "deep").chmod(0o755)
    assert [one["path"] for one in found.failures] == [str(folder / "deep")]


def test_names_of_which_none_is_there_are_refused(folder, monkeypatch):
    monkeypatch.chdir(folder)
    demand_places(["a.md", "nosuch.md"])
    demand_places(["*.csv", "deep"])
    demand_places([])
    with pytest.raises(NotFound, match=r"nosuch\.md, \*\.pdf: check the name"):
        demand_places(["nosuch.md", "*.pdf"])
