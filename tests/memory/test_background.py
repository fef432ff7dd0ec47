"""Work that nobody waits for: done piece by piece, stopped between pieces, started again."""

from __future__ import annotations

import itertools
import threading
import time

from memory_secretary.memory.background import BackgroundWork

SOON = 10.0


def test_all_pieces_are_done_in_order_in_another_thread() -> None:
    left, done, ended = [1, 2, 3], list[tuple[int, bool]](), threading.Event()

    def piece() -> bool:
        done.append((left.pop(0), threading.current_thread() is threading.main_thread()))
        if not left:
            ended.set()
        return bool(left)

    BackgroundWork(piece, "test").start()
    assert ended.wait(SOON)
    assert done == [(1, False), (2, False), (3, False)]


def test_stop_waits_for_the_piece_in_hand_and_begins_no_other() -> None:
    begun, may_end, done = threading.Event(), threading.Event(), list[str]()

    def piece() -> bool:
        begun.set()
        assert may_end.wait(SOON)
        done.append("piece")
        return True

    work = BackgroundWork(piece, "test")
    work.start()
    assert begun.wait(SOON)
    stopper = threading.Thread(target=work.stop)
    stopper.start()
    may_end.set()
    stopper.join(SOON)
    assert done == ["piece"]


def test_work_can_be_started_again_after_it_ended_and_after_a_stop() -> None:
    calls, called = list[int](), threading.Semaphore(0)

    def piece() -> bool:
        calls.append(1)
        called.release()
        return False

    work = BackgroundWork(piece, "test")
    for _ in range(3):
        work.start()
        assert called.acquire(timeout=SOON)
        work.stop()
    assert len(calls) == 3


def test_stop_without_a_start_returns_at_once() -> None:
    BackgroundWork(lambda: True, "test").stop()


def test_between_two_pieces_others_get_their_turn() -> None:
    begun, enough = list[float](), threading.Event()

    def piece() -> bool:
        begun.append(time.monotonic())
        if len(begun) == 4:
            enough.set()
        return len(begun) < 4

    BackgroundWork(piece, "test", pause=0.05).start()
    assert enough.wait(SOON)
    assert min(later - sooner for sooner, later in itertools.pairwise(begun)) >= 0.05
