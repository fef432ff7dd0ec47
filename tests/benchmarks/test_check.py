"""The guard against getting worse: a figure out of its bound fails it; and the figures as they are now."""

from __future__ import annotations

import subprocess
import sys
from math import inf, nan
from pathlib import Path

import check
import pytest
from check import BOUNDS, Bound

SEEN = {bound.figure: bound.seen for bound in BOUNDS}


def out_of(bound: Bound) -> float:
    return bound.most * 1.01 if bound.least == -inf else bound.least * 0.99


def test_what_was_seen_before_is_within_its_bounds() -> None:
    assert len(SEEN) == len(BOUNDS)
    assert check.broken(SEEN) == []


def test_each_bound_has_one_side_a_script_and_a_reason() -> None:
    for bound in BOUNDS:
        assert (bound.least == -inf) != (bound.most == inf)
        assert (Path(check.__file__).parent / bound.command.split()[0]).is_file()
        assert bound.reason


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.figure)
def test_a_figure_out_of_its_bound_is_found(bound: Bound) -> None:
    for bad in (out_of(bound), nan):
        assert check.broken({**SEEN, bound.figure: bad}) == [bound]


def test_a_figure_that_was_not_measured_is_no_pass() -> None:
    with pytest.raises(KeyError, match="largest checkpoint"):
        check.broken({name: value for name, value in SEEN.items() if name != check.CHECKPOINT})


def test_a_bad_figure_fails_the_run_and_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "MEASURES", [lambda: {**SEEN, check.CHECKPOINT: 20_000}])
    with pytest.raises(SystemExit, match="worse than it may be: largest checkpoint, bytes"):
        check.main()
    assert "| largest checkpoint, bytes | 20,000 | 11,600 | at most 16,384 | **no** |" in capsys.readouterr().out


def test_good_figures_pass(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(check, "MEASURES", [lambda: SEEN])
    check.main()
    assert capsys.readouterr().out.count("| yes |") == len(BOUNDS)


@pytest.mark.slow
@pytest.mark.integration
def test_nothing_has_become_much_worse() -> None:
    done = subprocess.run([sys.executable, check.__file__], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
