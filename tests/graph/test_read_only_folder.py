"""The commands `memory …` on a folder that the system lets nobody here write."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys

import pytest

from memory_secretary.memory.chroma import LOCK_FILE
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import INDEX_FOLDER, TieredMemory

ANA = Scope(user="ana")
CALLS = """
import json, sys
from typer.testing import CliRunner
from memory_secretary.graph.cli import app
for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, words)
    print(json.dumps([done.exit_code, done.stdout, done.stderr]))
"""

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform != "linux", reason="takes root's right to write everywhere away in Linux's way"),
]


@pytest.fixture
def locked(tmp_path):
    """A memory whose folder and files may not be written, and the id of its card."""
    folder = tmp_path / "locked"
    with TieredMemory.open(folder, embedder=None) as memory:
        card = memory.remember(ANA, "the kiln is blue 窑炉")
    for path in folder.rglob("*"):
        path.chmod(0o444)
    folder.chmod(0o555)
    yield folder, card.memory_id
    folder.chmod(0o755)


def call(lang, folder, *calls):
    """What each command gives, in one process without root's right to write everywhere."""
    more = ["--memory", str(folder), "--user", "ana", "--embedder", "none", "--lang", lang]
    given = json.dumps([["memory", *map(str, words), *more] for words in calls])
    done = subprocess.run(
        [sys.executable, "-c", CALLS, given], preexec_fn=_drop_write_everywhere, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _drop_write_everywhere():
    ctypes.CDLL(None).prctl(24, 1)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_reads_works_and_says_so_in_one_line(locked, tmp_path, lang):
    folder, ref = locked
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    calls = [
        ["list"],
        ["search", "窑炉"],
        ["show", ref],
        ["history", ref],
        ["why", "窑炉", "--expect", ref],
        ["pending"],
    ]
    calls += [["check"], ["export", tmp_path / "out.jsonl"], ["backup", tmp_path / "copy"]]
    for words, (status, shown, told) in zip(calls, call(lang, folder, *calls), strict=True):
        assert status == 0, (words, told)
        if words[0] in ("list", "search", "show", "history"):
            assert "the kiln is blue 窑炉" in shown
        [line] = told.splitlines()
        assert (str(folder) in line, "不可写" in line) == (True, lang == "zh")
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before
    assert (tmp_path / "out.jsonl").stat().st_size > 0
    with TieredMemory.open(tmp_path / "copy", embedder=None) as copy:
        assert len(copy.list(ANA)) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_check_gives_no_figures_of_what_was_not_checked_and_says_whose_records_it_counts(locked, lang):
    [(status, shown, _)] = call(lang, locked[0], ["check"])
    figures = {
        "en": ["events of all users: 0", "cards of all users: 1"],
        "zh": ["所有用户的事件：0", "所有用户的卡片：1"],
    }
    assert (status, shown.splitlines()[:2]) == (0, figures[lang])
    assert not any(name in shown for name in ("vector index: 0", "word index: 0", "索引中缺少", "词语索引"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_doctor_complains_once_of_a_folder_that_may_not_be_written(locked, lang):
    folder, _ = locked
    lock = folder / INDEX_FOLDER / LOCK_FILE
    folder.chmod(0o755)
    lock.parent.mkdir()
    lock.touch(0o444)
    lock.parent.chmod(0o555)
    folder.chmod(0o555)
    words = ["doctor", "--quick", "--memory", str(folder), "--embedder", "none", "--lang", lang]
    done = subprocess.run(
        [sys.executable, "-c", CALLS, json.dumps([words])], preexec_fn=_drop_write_everywhere, capture_output=True,
        text=True,
    )  # fmt: skip
    _, shown, _ = json.loads(done.stdout)
    assert shown.count({"en": "cannot be used", "zh": "无法使用"}[lang]) == 1
    assert {"en": "stands at “folder” above", "zh": "上面“文件夹”这一项"}[lang] in shown


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_writes_is_refused_in_one_sentence_with_the_cure(locked, tmp_path, lang):
    folder, ref = locked
    calls = [
        ["remember", "x"],
        ["edit", ref, "x"],
        ["forget", ref, "-y"],
        ["restore", ref],
        ["vacuum", "-y"],
        ["reindex"],
    ]
    for words, (status, shown, told) in zip(calls, call(lang, folder, *calls), strict=True):
        assert (status, shown) == (2, ""), words
        [line] = told.splitlines()
        assert str(folder) in line
        assert ("权限" if lang == "zh" else "permissions") in line


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_folder_is_no_memory_and_becomes_none_by_being_read(tmp_path, lang):
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o555)
    for writable in (False, True):
        empty.chmod(0o755 if writable else 0o555)
        [(status, _, told)] = call(lang, empty, ["list"])
        assert (status, str(empty) in told, "--memory" in told) == (2, True, True)
        assert list(empty.iterdir()) == []
