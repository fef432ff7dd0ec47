"""The test session itself: it says what is ahead, and the first Ctrl-C ends it whatever a test makes of that."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parent / "conftest.py"
SWALLOWS = """
import os, signal

def test_first():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()
    except KeyboardInterrupt:
        pass

def test_second():
    print("the second was begun")
"""


@pytest.mark.integration
@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize(("lang", "ahead"), [("C.UTF-8", "2 tests: about"), ("zh_CN.UTF-8", "2 项测试：")])
def test_what_is_ahead_is_said_and_a_swallowed_ctrl_c_ends_it(tmp_path: Path, lang: str, ahead: str) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text("utf-8"), "utf-8")
    (tmp_path / "test_two.py").write_text(SWALLOWS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "LC_ALL": lang}, capture_output=True, text=True, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert done.returncode == pytest.ExitCode.INTERRUPTED, done.stdout + done.stderr
    assert ahead in done.stdout
    assert "the second was begun" not in done.stdout
