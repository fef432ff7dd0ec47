"""What a finding means: how bad it is, what comes first, and that a check that breaks off stops no other."""

from __future__ import annotations

import pytest

from memory_secretary.graph.doctor.finding import EXIT_STATUS, Finding, Notes, Severity, examined, first_cure, worst
from memory_secretary.memory.errors import StorageError

OK, NOTE, WARNING, FAULT = Severity


def finding(severity, cure=""):
    return Finding("disk", severity, f"a {severity}", cure)


@pytest.mark.parametrize(
    ("severities", "status"),
    [([], 0), ([OK, NOTE], 0), ([OK, WARNING, NOTE], 1), ([WARNING, FAULT, OK], 2)],
)
def test_the_exit_status_is_that_of_the_worst_finding(severities, status):
    assert EXIT_STATUS[worst([finding(each) for each in severities])] == status


def test_the_first_cure_is_that_of_the_first_of_the_worst():
    findings = [finding(WARNING, "clean up"), finding(FAULT, "plug it in"), finding(FAULT, "and press the button")]
    assert first_cure(findings) == "plug it in"
    assert first_cure([finding(NOTE, "look at it")]) == ""
    assert first_cure([finding(FAULT)]) == "a fault", "a sentence of ours names its cure itself"


@pytest.mark.parametrize("error", [OSError("gone"), ImportError("no numpy"), RuntimeError("tripped")])
def test_a_check_that_breaks_off_keeps_what_it_had_found_and_says_why(error):
    def check():
        yield finding(OK)
        raise error

    found = list(examined("disk", check, Notes("en")))
    assert [each.severity for each in found] == [OK, FAULT]
    assert str(error) in found[1].sentence
    assert found[1].cure


def test_an_error_of_ours_is_said_in_the_users_language():
    def check():
        raise StorageError("the disk is full: free some", zh="磁盘已满：请腾出空间")

    [english] = examined("disk", check, Notes("en"))
    [chinese] = examined("disk", check, Notes("zh"))
    assert (english.sentence, chinese.sentence) == ("the disk is full: free some", "磁盘已满：请腾出空间")
