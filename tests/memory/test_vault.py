"""What a mark stands for can be put back in the process that saw it, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import Scope
from memory_secretary.memory.masking import mask
from memory_secretary.memory.vault import Vault, masked_values

ANA = Scope(user="ana", thread="t1")
KEY = "sk-" + "EXAMPLE" * 5
SAID = f"remember: db password is tr0ub4dor-x9, and staging uses key {KEY}"


@pytest.fixture
def vault() -> Vault:
    made = Vault()
    made.keep(ANA, SAID)
    return made


def test_each_secret_of_a_text_is_found_with_its_mark() -> None:
    assert dict(masked_values(SAID)) == {"«secret:password»": "tr0ub4dor-x9", "«secret:api-key»": KEY}
    assert dict(masked_values("密码是Tr0ub4dor9，别外传")) == {"«secret:password»": "Tr0ub4dor9"}


@given(st.text(), st.text())
def test_text_without_a_secret_and_text_that_is_masked_hold_none(one: str, other: str) -> None:
    masked = mask(f"{one} db password is tr0ub4dor-x9, {other}")
    assert list(masked_values(masked)) == []


def test_a_mark_in_arguments_becomes_the_secret_again(vault: Vault) -> None:
    arguments = {"login": {"password": "«secret:password»"}, "headers": ["key «secret:api-key»"], "n": 3}
    assert vault.can_put_back(ANA, arguments)
    restored: Any = {"login": {"password": "tr0ub4dor-x9"}, "headers": [f"key {KEY}"], "n": 3}
    assert vault.put_back(ANA, arguments) == restored
    assert vault.hide(ANA, restored) == arguments


@pytest.mark.parametrize("other", [Scope(user="ben", thread="t1"), Scope(user="ana", thread="t2"), Scope(team="ana")])
def test_another_user_or_thread_gets_nothing(vault: Vault, other: Scope) -> None:
    assert vault.put_back(other, "«secret:password»") == "«secret:password»"
    assert vault.hide(other, "tr0ub4dor-x9") == "tr0ub4dor-x9"


def test_of_two_passwords_neither_is_put_back(vault: Vault) -> None:
    vault.keep(ANA, "the other password is hunter2-x")
    assert not vault.can_put_back(ANA, {"p": "«secret:password»"})
    assert vault.can_put_back(ANA, {"k": "«secret:api-key»"})


def test_a_new_process_has_none(vault: Vault) -> None:
    assert not Vault().can_put_back(ANA, ["«secret:password»"])


def test_a_secret_is_hidden_where_nothing_around_it_tells_what_it_is(vault: Vault) -> None:
    assert vault.hide(ANA, "logged in with tr0ub4dor-x9.") == "logged in with «secret:password»."
