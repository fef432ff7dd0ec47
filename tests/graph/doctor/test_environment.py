"""Every variable is looked at by itself."""

from __future__ import annotations

from memory_secretary.graph.doctor.environment import environment_findings, read_environment
from memory_secretary.graph.doctor.finding import Notes, Severity


def found(environ, lang="en"):
    return list(environment_findings(Notes(lang), read_environment(environ)))


def test_sound_variables_are_counted_and_used():
    environ = {"MEMORY_SECRETARY_EXECUTOR_WINDOW": "2048", "MEMORY_SECRETARY_EXECUTOR": "embedded", "PATH": "/bin"}
    [only] = found(environ)
    assert only.severity is Severity.OK
    assert only.facts == {"changed": 1, "executor_window": 2048, "secretary_window": 8192}


def test_what_a_starting_script_tells_is_no_setting():
    [only] = found({"MEMORY_SECRETARY_PROGRAM": "python3 bootstrap.py"})
    assert (only.severity, only.facts["changed"]) == (Severity.OK, 0)


def test_each_broken_variable_is_a_fault_of_its_own_and_the_sound_ones_still_count():
    environ = {
        "MEMORY_SECRETARY_EXECUTOR_WINDOW": "big",
        "MEMORY_SECRETARY_RECALL_K": "-1",
        "MEMORY_SECRETARY_SECRETARY_WINDOW": "16384",
    }
    read = read_environment(environ)
    findings = list(environment_findings(Notes("en"), read))
    assert read.settings.secretary_window == 16384
    assert [each.severity for each in findings] == [Severity.FAULT] * 2
    assert {each.facts["variable"] for each in findings} == set(environ) - {"MEMORY_SECRETARY_SECRETARY_WINDOW"}
    assert all(each.facts["variable"] in each.cure for each in findings)


def test_an_unknown_variable_is_named_with_the_one_that_is_meant():
    [only] = found({"MEMORY_SECRETARY_EXECUTER": "embedded"})
    assert only.severity is Severity.WARNING
    assert "MEMORY_SECRETARY_EXECUTOR" in only.cure
    assert only.cure.endswith("?")
    [chinese] = found({"MEMORY_SECRETARY_EXECUTER": "embedded"}, lang="zh")
    assert chinese.cure == "是否想写 MEMORY_SECRETARY_EXECUTOR？"
    [chinese] = found({"MEMORY_SECRETARY_ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ": "1"}, lang="zh")
    assert "unset MEMORY_SECRETARY_ZZZ" in chinese.cure
