"""Secrets are taken out before anything is written; a typed mark stays where each one stood.

Two kinds of rule: *shapes* that are secret wherever they stand (key prefixes, PEM blocks, tokens), and *values* that
are secret because of the words before them ("password is …", "密码是 …", ``API_KEY=…``). Words that only talk about
secrets ("no API key in the build") stay, and so do hashes, UUIDs and program text such as ``password=os.environ["X"]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

MARK = re.compile(r"(«(?:secret|personal):[a-z-]+»)")
"""What stands in place of a secret; it says the secret's kind."""


def _mark(kind: str) -> str:
    return f"«secret:{kind}»"


_EDGE = r"(?<![A-Za-z0-9])"
_SHAPES: tuple[tuple[str, str, str], ...] = (
    (
        "private-key",
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]|-(?!----))*+-----END [A-Z0-9 ]{0,60}-----"
        r"|(?:\s|\\[nr])*+(?:[A-Za-z0-9+/=]{16,}+(?:\s|\\[nr])*+)*+)",
    ),
    ("private-key", "age-secret-key", r"AGE-SECRET-KEY-1[0-9A-Z]{40,70}"),
    ("aws-key", "a", _EDGE + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("alibaba-key", "ltai", _EDGE + r"LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"),
    ("tencent-key", "akid", _EDGE + r"AKID[A-Za-z0-9]{24,40}(?![A-Za-z0-9])"),
    ("google-key", "aiza", _EDGE + r"AIza[A-Za-z0-9_-]{35}"),
    ("google-key", "gocspx-", _EDGE + r"GOCSPX-[A-Za-z0-9_-]{20,40}"),
    ("google-key", "ya29.", _EDGE + r"ya29\.[A-Za-z0-9_-]{20,}"),
    ("github-token", "gh", _EDGE + r"gh[pousr]_[A-Za-z0-9]{20,}"),
    ("github-token", "github_pat_", _EDGE + r"github_pat_[A-Za-z0-9_]{20,}"),
    ("gitlab-token", "gl", _EDGE + r"gl(?:pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{16,}"),
    ("slack-token", "xox", _EDGE + r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("slack-token", "xapp-", _EDGE + r"xapp-[A-Za-z0-9-]{10,}"),
    ("stripe-key", "k_", _EDGE + r"[spr]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("stripe-key", "whsec_", _EDGE + r"whsec_[A-Za-z0-9]{10,}"),
    ("api-key", "sk-", _EDGE + r"sk-(?:(?:proj|ant|svcacct|admin|or|lf|api\d\d)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{16,})"),
    ("api-key", "_", _EDGE + r"(?:gsk_|r8_|hf_|ntn_|lin_api_|lsv2_[a-z]{2}_)[A-Za-z0-9_-]{16,}"),
    ("api-key", "-", _EDGE + r"(?:xai|pplx|nvapi|tvly)-[A-Za-z0-9_-]{16,}"),
    ("package-token", "npm_", _EDGE + r"npm_[A-Za-z0-9]{30,}"),
    ("package-token", "pypi-", _EDGE + r"pypi-[A-Za-z0-9_-]{30,}"),
    ("package-token", "dckr_pat_", _EDGE + r"dckr_pat_[A-Za-z0-9_-]{20,}"),
    ("cloud-token", "_v1_", _EDGE + r"do[op]_v1_[0-9a-f]{40,}"),
    ("cloud-token", "dapi", _EDGE + r"dapi[0-9a-f]{32}"),
    ("cloud-token", "hvs.", _EDGE + r"hvs\.[A-Za-z0-9_-]{20,}"),
    ("cloud-token", "shp", _EDGE + r"shp(?:at|ss)_[0-9a-fA-F]{32}"),
    ("mail-key", "sg.", _EDGE + r"SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,60}"),
    ("bot-token", ":aa", _EDGE + r"\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    ("jwt", "eyj", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
)
"""Kind, a piece that every match holds (in lower case), pattern. Each pattern starts only where a run of its own
characters starts, so that the time stays linear in the text."""

_PASSWORD_WORDS = (
    r"pass(?:word|phrase|wd|code)|pwd|passwort|kennwort|mot de passe|contraseña|senha|пароль|"
    r"密码|密碼|口令|パスワード|暗証番号|비밀번호"
)
_KEY_WORDS = (
    r"(?:api|access|secret|private|signing|encryption|account|master|auth|license)[ _-]?key|client[ _-]?secret|secret|"
    r"密钥|密鑰|秘钥|私钥|API ?キー|秘密鍵"
)
_TOKEN_WORDS = r"(?<!page)(?<!page[ _-])(?<!next[ _-])(?<!sync[ _-])(?<!ation[ _-])token|令牌|トークン"
"""Tokens that page through a list are no secrets, and the tool needs them back."""
_PIN_WORDS = r"(?-i:\bPIN\b)|\bpin (?:code|number)|\botp\b|verification code|验证码|驗證碼"

_ABOUT = r"(?: (?:for|of|to|on|in) [^\r\n.:=,;«»]{1,40}?|[\u4e00-\u9fff]{0,6}?)"
_SAYS = (
    r"(?:[ \t]{0,3}(?:=>|->|:=|[:=：＝])|[ \t]{1,3}(?:is|was|are|ist|est|es|è|é)\b(?:[ \t]?:)?"
    r"|[ \t]{0,3}(?:是|为|為|は|改成|改为|改為|设为|設為|换成|換成)[:：]?)"
)
_BREAK = r"\s\"'`“”‘’«»<>,;()\[\]{}\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef"
_QUOTED = r"[\"'`“‘「『][^\"'`“”‘’「」『』\r\n«»]{1,200}[\"'`”’」』]"
_VALUE = rf"(?P<value>{_QUOTED}|[^{_BREAK}]{{1,200}})(?P<call>\(?)"

_STATED = re.compile(
    rf"(?:(?P<password>{_PASSWORD_WORDS})|(?P<key>{_KEY_WORDS})|(?P<token>{_TOKEN_WORDS})|(?P<pin>{_PIN_WORDS}))"
    rf"(?P<rest>[ _-]?\d{{0,2}}[\"'\]]{{0,2}}{_ABOUT}(?P<says>{_SAYS})[ \t]{{0,3}}[*_]{{0,2}}){_VALUE}",
    re.IGNORECASE,
)
"""``password: x``, ``"apiKey": "x"``, ``the password for staging is x``, ``密码改成 x``."""

_BESIDE = re.compile(
    rf"(?:(?P<password>{_PASSWORD_WORDS})|(?P<key>{_KEY_WORDS})|(?P<token>{_TOKEN_WORDS}))"
    rf"(?P<rest>[ \t]{{1,3}}|(?<=[\u3000-\u9fff])|[\"'][ ]?,[ ]?(?=[\"'])){_VALUE}",
    re.IGNORECASE,
)
"""``--password x``, ``("password", "x")``, ``密码x``: only values that no word looks like."""

_HEADER = re.compile(
    r"(?P<rest>\b(?:proxy-)?authorization[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?"
    r"(?P<scheme>(?:bearer|basic|token|digest|apikey)[ \t]{1,3})?)(?P<value>[^\s\"',;«»]{6,4000})",
    re.IGNORECASE,
)
_BEARER = re.compile(
    r"(?P<rest>\b(?:bearer|basic)[ \t]{1,3})(?P<value>[A-Za-z0-9._~+/=-]{8,4000})(?![A-Za-z0-9])", re.IGNORECASE
)
_COOKIE = re.compile(
    r"(?P<rest>\b(?:set-)?cookie[ \t]{0,2}:[ \t]{0,2})(?P<value>[^\s=;«»]{1,80}=[^\r\n«»]{1,4000})", re.IGNORECASE
)
_URL = re.compile(r"(?P<rest>://[^\s/:@«»]{0,100}:)(?P<value>[^\s/@«»]{1,200})(?=@)")
_CURL = re.compile(r"(?P<rest>(?<!\S)(?:-u|--user)[ =][\"']?[^\s:\"'«»]{1,100}:)(?P<value>[^\s\"'«»]{1,200})")

_NOT_A_VALUE = frozenset(
    """none null nil true false undefined required optional needed missing invalid incorrect wrong correct valid
    expired empty blank unknown unset set string str int bytes bool text any hidden masked redacted secret
    password token changed reset stored saved kept encrypted hashed weak strong short long safe secure unsafe
    disabled enabled not no now the a an too so very also only still already never always being in on at of for
    with by to from as what here there this that it shared sent given provided used expected accepted rejected
    protected confidential private public important asked yours mine theirs ours his her their your my our
    different identical same new old default case-sensitive user-defined read-only time-limited up-to-date
    not-needed""".split()
)
_CODE = re.compile(
    r"""\$ | %[\w(] | < | \*{3} | \.{2} | … | x{3,}$ | https?:// | (?:os|self|args|settings|config|env|process|cls)\.
    | [a-z_]\w*(?:\.[a-z_]+)+$ | [\w-]*(?:your|my|change|example)[_-]\w""",
    re.IGNORECASE | re.VERBOSE,
)
_PATH_OR_FILE = re.compile(r"[~.]?/.*|[\w./-]+\.[a-z]{2,4}", re.IGNORECASE)
_HASH = re.compile(r"[0-9a-f]{7,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"[ \t]*(?:$|[.,;:!?&|/)\]}\"'`\r\n，。；、！？）」』]|(?:and|but)\b)")
_QUOTES = "\"'`“”‘’「」『』"
_TRAILING = ".!?:*_"
_LEAST = {"password": 3, "key": 8, "token": 8, "pin": 3}
_LEAST_BESIDE = {"password": 8, "key": 12, "token": 20}


def mask(text: str) -> str:
    """Replace keys, passwords, tokens, authorization headers and private keys by marks such as ``«secret:aws-key»``.

    Returns:
        The text with each secret value replaced and everything else untouched. Masking again changes nothing.
    """
    return _short_masked(text) if len(text) <= _SHORT else _masked(text)


def _masked(text: str) -> str:
    while (masked := _mask_once(text)) != text:  # each round adds a mark, so this comes to an end
        text = masked
    return text


_SHORT = 400
"""Characters; a run's state is masked at every step, and most of it is short and was masked at the step before."""
_short_masked = lru_cache(maxsize=16_384, typed=True)(_masked)


def _as_it_is(value: Any) -> Any:
    return value


def mask_data(value: Any, others: Callable[[Any], Any] = _as_it_is) -> Any:
    """:func:`mask` for plain JSON data, at any depth.

    A value under a key that names a secret (``{"password": "open sesame"}``) is masked whatever it looks like. Keys are
    masked too; two keys that become equal are told apart by a number. What is no plain data is given to ``others``.
    """
    if isinstance(value, str):
        return mask(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return _mask_items(value, others)
    if isinstance(value, list):
        return [mask_data(item, others) for item in value]
    if isinstance(value, tuple):
        return tuple(mask_data(item, others) for item in value)
    return others(value)


_PERSONAL: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"(?<![\w.+-])[A-Za-z0-9_.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")),
    ("id-number", re.compile(r"(?<![0-9A-Za-z])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])\d{5}[0-9Xx](?![0-9A-Za-z])")),
    ("iban", re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?(?![0-9A-Za-z])")),
    ("card-number", re.compile(r"(?<![0-9A-Za-z])\d(?:[ -]?\d){12,18}(?![0-9A-Za-z])")),
    (
        "phone",
        re.compile(r"(?<![0-9A-Za-z])(?:\+\d{1,3}[ -]?(?:\(?\d{1,4}\)?[ -]?){2,5}\d{2,4}|1[3-9]\d{9})(?![0-9A-Za-z])"),
    ),
)


def mask_personal(text: str) -> str:
    """Replace e-mail addresses, telephone, identity, bank and card numbers by marks such as ``«personal:email»``."""
    for kind, pattern in _PERSONAL:
        text = pattern.sub(partial(_personal_mark, kind), text)
    return text


def _personal_mark(kind: str, found: re.Match[str]) -> str:
    return found[0] if kind == "card-number" and not _adds_up(found[0]) else f"«personal:{kind}»"


def _adds_up(number: str) -> bool:
    """Luhn's checksum, which every card number has and one other number of ten."""
    digits = [int(sign) for sign in reversed(number) if sign.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def mapped(data: Any, change: Callable[[str], str]) -> Any:
    """Plain JSON data with every string in it changed; keys stay."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        return {key: mapped(value, change) for key, value in data.items()}
    return [mapped(item, change) for item in data] if isinstance(data, list | tuple) else data


def holds_mark(value: Any) -> bool:
    """Whether a mark of :func:`mask` stands anywhere in plain JSON data, keys included."""
    if isinstance(value, str):
        return MARK.search(value) is not None
    if isinstance(value, dict):
        return any(holds_mark(part) for item in value.items() for part in item)
    return isinstance(value, list | tuple) and any(map(holds_mark, value))


def _mask_items(data: dict[Any, Any], others: Callable[[Any], Any]) -> dict[Any, Any]:
    masked: dict[Any, Any] = {}
    for key, value in data.items():
        name = mask(key) if isinstance(key, str) else key
        if name != key and name in masked:
            name = f"{name} ({len(masked)})"
        masked[name] = _mask_named(key, value, others)
    return masked


_SECRET_NAME = re.compile(
    rf"(?P<password>.*(?:{_PASSWORD_WORDS}))|(?P<key>.*(?:{_KEY_WORDS}))|(?P<token>(?:.*[ _-])?(?:{_TOKEN_WORDS}))|"
    r"(?P<authorization>(?:proxy-)?authorization)|(?P<cookie>(?:set-)?cookie)",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def _kind_named(key: str) -> str | None:
    """Which kind of secret a key names, or None."""
    named = _SECRET_NAME.fullmatch(key) if len(key) <= 100 else None
    return named.lastgroup if named else None


def _mask_named(key: Any, value: Any, others: Callable[[Any], Any]) -> Any:
    kind = _kind_named(key) if isinstance(key, str) else None
    if kind is None:
        return mask_data(value, others)
    if isinstance(value, str) and value and not MARK.fullmatch(value) and not _is_placeholder(value):
        return _mark(_KINDS.get(kind, kind))
    if kind == "password" and isinstance(value, int) and not isinstance(value, bool):
        return _mark(kind)
    return mask_data(value, others)


def _mask_once(text: str) -> str:
    lowered = text.lower()
    for rule in _RULES:
        if any(needle in lowered for needle in rule.needles):
            text = rule.apply(text) if MARK.search(text) is None else _between_marks(rule.apply, text)
    return text


def _between_marks(rule: Callable[[str], str], text: str) -> str:
    """A mark holds the word "secret" and a colon: rules must not look into it."""
    parts = MARK.split(text)
    return "".join(part if index % 2 else rule(part) for index, part in enumerate(parts))


def _keeping_rest(kind: str) -> Callable[[re.Match[str]], str]:
    return lambda found: found["rest"] + _mark(kind)


def _mask_header(found: re.Match[str]) -> str:
    value = found["value"]
    if _is_placeholder(value) or not (found["scheme"] or _is_random(value, 8)):
        return found[0]
    return found["rest"] + _mark("authorization")


def _mask_bearer(found: re.Match[str]) -> str:
    return found["rest"] + _mark("authorization") if _is_random(found["value"], 8) else found[0]


def _mask_stated(found: re.Match[str]) -> str:
    kind, inner = _kind(found), _inner(found["value"])
    if found["call"] or len(inner) < _LEAST[kind] or _is_placeholder(inner):
        return found[0]
    if kind == "pin":
        secret = inner.isdigit() and len(inner) <= 10
    elif kind == "password":
        secret = _is_password(found, inner)
    else:
        secret = _is_random(inner, _LEAST[kind])
    return _without_value(found, kind, inner) if secret else found[0]


def _is_password(found: re.Match[str], inner: str) -> bool:
    """A quoted value, one that no word looks like, or a word that ends what is said about the password."""
    if _PATH_OR_FILE.fullmatch(inner):
        return False
    quoted = found["value"][0] in _QUOTES
    return quoted or _is_random(inner, 3) or bool(_SENTENCE_ENDS.match(found.string, found.end("value")))


def _mask_beside(found: re.Match[str]) -> str:
    kind, inner = _kind(found), _inner(found["value"])
    if found["call"] or _is_placeholder(inner) or _PATH_OR_FILE.fullmatch(inner):
        return found[0]
    if found["rest"]:
        secret = _is_random(inner, _LEAST_BESIDE[kind]) and not _HASH.fullmatch(inner)
    else:
        secret = len(inner) >= 6 and any(map(str.isdigit, inner))
    return _without_value(found, kind, inner) if secret else found[0]


def _kind(found: re.Match[str]) -> str:
    return next(kind for kind in _LEAST if found.groupdict().get(kind))


def _inner(value: str) -> str:
    return value.strip(_QUOTES) if value[0] in _QUOTES else value.rstrip(_TRAILING)


def _without_value(found: re.Match[str], kind: str, inner: str) -> str:
    start = found.start("value") - found.start()
    return found[0][:start] + found["value"].replace(inner, _mark(_KINDS.get(kind, kind)), 1)


def _is_placeholder(value: str) -> bool:
    """Words that only talk about a secret, and program text that fetches it from elsewhere."""
    return value.lower().rstrip(_TRAILING) in _NOT_A_VALUE or _CODE.match(value) is not None


def _is_random(value: str, least: int) -> bool:
    """What no word looks like: letters mixed with digits or signs, capitals inside, or a very long run."""
    if len(value) < least or any(map(str.isspace, value)):
        return False
    letters = any(map(str.isalpha, value))
    digits = any(map(str.isdigit, value))
    if letters and (digits or any(sign in value for sign in "!@#$%^&*+?~")):
        return True
    return (digits and least <= 3) or _CAPITAL_INSIDE.search(value) is not None or _LONG_RUN.search(value) is not None


_CAPITAL_INSIDE = re.compile(r"[a-z][A-Z]")
_LONG_RUN = re.compile(r"[A-Za-z0-9]{20}")
_KINDS = {"key": "api-key"}


@dataclass(frozen=True, slots=True)
class _Rule:
    """One replacement, tried only on texts that hold one of its needles: most texts hold none."""

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    change: Callable[[re.Match[str]], str] | str

    def apply(self, text: str) -> str:
        return self.pattern.sub(self.change, text)


_NAMES = tuple(
    "pass pwd kennwort contraseña senha пароль 密 口令 暗証 비밀 パス key キー secret 钥 token 令牌 トークン".split()
)
_PIN_NAMES = ("pin", "otp", "code", "验证码", "驗證碼")
_RULES: tuple[_Rule, ...] = (
    *(_Rule((needle,), re.compile(pattern), _mark(kind)) for kind, needle, pattern in _SHAPES),
    _Rule(("authorization",), _HEADER, _mask_header),
    _Rule(("bearer", "basic"), _BEARER, _mask_bearer),
    _Rule(("cookie",), _COOKIE, _keeping_rest("cookie")),
    _Rule(("://",), _URL, _keeping_rest("password")),
    _Rule(("-u", "--user"), _CURL, _keeping_rest("password")),
    _Rule((*_NAMES, *_PIN_NAMES), _STATED, _mask_stated),
    _Rule(_NAMES, _BESIDE, _mask_beside),
)
