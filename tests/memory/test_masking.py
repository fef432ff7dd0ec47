from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory import Scope, TieredMemory
from memory_secretary.memory.masking import holds_mark, mask, mask_data, mask_personal

SK = "sk-" + "EXAMPLE" * 5
AWS = "AKIA" + "EXAMPLE0EXAMPLE0"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nq8+/xyz==\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("remember: db password is tr0ub4dor-x9, and so on", "tr0ub4dor-x9", "password"),
    (f"staging uses key {SK}", SK, "api-key"),
    (f"AWS_ACCESS_KEY_ID={AWS}", AWS, "aws-key"),
    ("Authorization: Bearer abc.def-123XYZ", "abc.def-123XYZ", "authorization"),
    ("curl -H 'authorization: Basic Ym9iOnNlY3JldA==' http://x", "Ym9iOnNlY3JldA==", "authorization"),
    ("use bearer a1b2c3d4e5f6 for this", "a1b2c3d4e5f6", "authorization"),
    (f"before\n{PEM}\nafter", "MIIEowIBAAKCAQEA7", "private-key"),
    ("密码是 tr0ub4dor-x9，请保密", "tr0ub4dor-x9", "password"),
    ("数据库的密码改成abc12345了", "abc12345", "password"),
    ("wifi密码12345678", "12345678", "password"),
    ("口令是「芝麻开门」", "芝麻开门", "password"),
    ("API密钥为 abcd1234efgh5678", "abcd1234efgh5678", "api-key"),
    ("パスワードは abc12345 です", "abc12345", "password"),
    ("DB_PASSWORD=hunter2\nDEBUG=1", "hunter2", "password"),
    ('{"password": "open sesame"}', "open sesame", "password"),
    ('{"apiKey": "a8f5f167f44f4964e6c998dee827110c"}', "a8f5f167f44f4964e6c998dee827110c", "api-key"),
    ("my password is swordfish.", "swordfish", "password"),
    ("the password for staging is tr0ub4dor-x9", "tr0ub4dor-x9", "password"),
    ("postgres://bob:s3cr3t@db.example/x", "s3cr3t", "password"),
    ("curl -u bob:s3cret http://x", "s3cret", "password"),
    ("mysql --password Xy7!kkkk2 -h db", "Xy7!kkkk2", "password"),
    ("PIN: 4821", "4821", "pin"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI/K7MDENG", "api-key"),
    ("Cookie: sid=abc123; theme=dark", "abc123", "cookie"),
    ("ghp_" + "a1B2" * 9, "a1B2a1B2", "github-token"),
    ("xoxb-123456789012-abcdef", "123456789012", "slack-token"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP", "eyJzdWIiOiIxMjM0In0", "jwt"),
    ("refresh_token: ghx8s7d6f5s4", "ghx8s7d6f5s4", "token"),
    ("passphrase: 'correct horse battery staple'", "correct horse", "password"),
]  # fmt: skip

HARMLESS = [
    "no API key in the build",
    "3f2a9c1d4b5e6f708192a3b4c5d6e7f801234567",
    "commit 3f2a9c1 fixes the token count",
    "550e8400-e29b-41d4-a716-446655440000",
    "password policy changed in May",
    "db uses password login",
    "the password is required",
    "Password: must be at least 8 characters",
    "he asked for the password and left",
    "max_tokens=512, tokens: 4096, token count is 55",
    "token = tokenizer.encode(text)",
    "password=os.environ['X']",
    "password: ${DB_PASSWORD}",
    "api_key: str | None = None",
    "Authorization: Bearer <token>",
    "the token is expired",
    "密码策略在五月更改",
    "密码是必填项",
    "密码是8位以上",
    "忘记密码请联系管理员",
    "Secret Santa is on Friday; my secret is patience.",
    "task-management-system-of-record",
    "Bearer bonds are old; basic understanding helps",
    "next_page_token: CAUQAAxyz123",
    "pwd: /home/bob/x",
    "token gpt-4o-mini",
    "the primary key: id12345678",
    "gate code changed on Monday",
    "https://example.com:8080/a@b",
]


@pytest.mark.parametrize(("text", "value", "kind"), SECRETS)
def test_a_secret_gives_way_to_its_typed_mark(text: str, value: str, kind: str) -> None:
    masked = mask(text)
    assert value not in masked
    assert f"«secret:{kind}»" in masked


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert mask(text) == text


def test_the_useful_part_around_a_secret_stays() -> None:
    text = f"remember: db password is tr0ub4dor-x9, and staging uses key {SK}"
    assert mask(text) == "remember: db password is «secret:password», and staging uses key «secret:api-key»"


def test_only_the_key_block_goes() -> None:
    assert mask(f"before\n{PEM}\nafter") == "before\n«secret:private-key»\nafter"


def test_a_key_block_that_was_cut_off_goes_too() -> None:
    masked = mask(PEM[:70] + "\n\nThe rest is prose, which stays.")
    assert "MIIE" not in masked
    assert masked.endswith("The rest is prose, which stays.")


def test_a_key_block_inside_json_goes() -> None:
    assert "MIIE" not in mask(json.dumps({"file": PEM}))


PARTS = st.sampled_from(
    ["password", "密码", "secret", "token", "API key", " is ", ": ", "=", "是", "\n", '"', "«secret:", "»",
     "«secret:pin»",
     AWS, SK, "tr0ub4dor-x9", "Bearer ", "abc12345", " for x", "(", ")", "PIN", "4821", "-----BEGIN PRIVATE KEY-----",
     "://a:", "@"]
)  # fmt: skip


@given(st.lists(st.one_of(PARTS, st.text(max_size=6)), max_size=12).map("".join))
def test_masking_again_changes_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@given(st.text(alphabet="abcdefghij klmnopqrst,.\n中文字", max_size=200))
def test_plain_words_are_never_touched(text: str) -> None:
    assert mask(text) == text


def test_data_is_masked_at_any_depth_and_keeps_its_shape() -> None:
    data: dict[str, Any] = {
        "password": 12345, "rows": [{"token": "open"}, ("x", f"key {SK}")], "Authorization": "abc", "max_tokens": 5,
        "note": "密码是 abc12345", "n": None, "ok": True, "x": 1.5, "password_policy": "changed in May",
    }  # fmt: skip
    assert mask_data(data) == {
        "password": "«secret:password»", "rows": [{"token": "«secret:token»"}, ("x", "key «secret:api-key»")],
        "Authorization": "«secret:authorization»", "max_tokens": 5, "note": "密码是 «secret:password»", "n": None,
        "ok": True, "x": 1.5, "password_policy": "changed in May",
    }  # fmt: skip


def test_masked_data_stays_masked() -> None:
    once = mask_data({"password": "open sesame", "k": [f"{AWS}"]})
    assert mask_data(once) == once


def test_two_secret_keys_do_not_swallow_each_other() -> None:
    other = "AKIA" + "EXAMPLE1EXAMPLE1"
    assert sorted(mask_data({AWS: 1, other: 2}).values()) == [1, 2]


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, '<div class="x">row</div>' * 40_000, "eyJ" * 300_000, "sk-" * 300_000]
)
def test_a_megabyte_on_one_line_takes_seconds_at_most(text: str) -> None:
    began = time.monotonic()
    assert mask(text) == text
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(("text", "secret", "kind"), SECRETS)
def test_a_mark_is_found_wherever_one_was_set(text: str, secret: str, kind: str) -> None:
    assert not holds_mark({"a": [text, {"b": secret}]})
    assert holds_mark(mask(text))
    assert holds_mark({"a": [1, {"b": (mask(text), kind)}]})
    assert holds_mark({mask(text): None})


@pytest.mark.parametrize("value", [None, 3, True, "", "«secret»", "secret:password", ["a", {"b": "«other:mark»"}]])
def test_what_is_no_mark_is_not_taken_for_one(value: Any) -> None:
    assert not holds_mark(value)


PERSONAL = {
    "write to ana.lopez+home@mail.example.org today": "write to «personal:email» today",
    "请拨打13812345678联系": "请拨打«personal:phone»联系",
    "call +49 30 1234 5678": "call «personal:phone»",
    "身份证号11010519491231002X": "身份证号«personal:id-number»",
    "card 4111 1111 1111 1111": "card «personal:card-number»",
    "IBAN DE89 3704 0044 0532 0130 00": "IBAN «personal:iban»",
}


@pytest.mark.parametrize(("text", "masked"), PERSONAL.items())
def test_personal_data_is_masked_only_where_that_was_asked_for(text: str, masked: str) -> None:
    assert mask(text) == text
    assert mask_personal(text) == mask_personal(masked) == masked
    for wish, stored in ((True, masked), (False, text)):
        with TieredMemory.open(":memory:", embedder=None, mask_personal=wish) as memory:
            event_id = memory.record(Scope(user="ana"), actor="user", action="request", observation=text)
            assert memory.read(Scope(user="ana"), event_id) == stored
            assert memory.remember(Scope(user="ana"), f"Ana: {text}").content == f"Ana: {stored}"


@pytest.mark.parametrize(
    "text", ["INV-2026-07-0042", "order 4111 1111 1111 1112", "2026-03-01 09:30", "v1.2.3@main", "1,000"]
)
def test_what_only_looks_personal_stays(text: str) -> None:
    assert mask_personal(text) == text
