"""The sentences of what a model server does wrong, each with its cure, in English and in Chinese side by side."""

from __future__ import annotations

import re
from typing import NamedTuple

from memory_secretary.memory.errors import (
    ContextTruncated,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
)


class Sentence(NamedTuple):
    """One kind of fault: the error it becomes, and its sentence in both languages."""

    kind: type[ModelError]
    en: str
    zh: str

    def error(
        self, server: str, model: str, said: str = "", *, option: str = "--executor", **more: object
    ) -> ModelError:
        """The error that says it.

        Args:
            server: how to name the server to a user, with its address, in English.
            model: the model's name on that server.
            said: the server's own words, short and without secrets.
            option: names, on the command line, what the model is used for.
            more: what else the sentence has places for.
        """
        cures_en, cures_zh = _cures(server)
        en = self.en.format(server=server, model=model, said=said, **_filled(cures_en, model, option), **more)
        server_zh = _in_chinese(server) if "{server}；" not in self.zh else _in_chinese(server).rstrip()
        zh = self.zh.format(server=server_zh, model=model, said=said, **_filled(cures_zh, model, option), **more)
        return self.kind(en, zh=zh)


DOWN = Sentence(
    ModelUnreachable,
    "{server} cannot be reached; {start}",
    "连接不上{server}；{start}",
)
LATE = Sentence(
    ModelUnreachable,
    "{server} did not answer in time; wait until it has loaded {model}, or raise the timeout",
    "{server}没有按时回答；请等它加载好 {model}，或调大超时时间",
)
LOADING = Sentence(
    ModelUnreachable,
    "{server} is still loading {model}; try again in a few seconds",
    "{server}还在加载 {model}；请过几秒再试",
)
BROKE_OFF = Sentence(
    ModelUnreachable,
    "{server} broke off in the middle of a reply of {model}: look at its log and run again",
    "{server}在 {model} 答到一半时中断：请查看它的日志，然后再运行",
)
ELSEWHERE = Sentence(
    ModelUnreachable,
    "{server} has no such page ({said}), so the address is not that of a model server: {address}",
    "{server}没有这个页面（{said}），说明地址不是模型服务的地址：{address}",
)
NO_PROTOCOL = Sentence(
    ModelUnreachable,
    "{server} answers something that is not the protocol of a model server ({said}): {address}",
    "{server}的回答不符合模型服务的协议（{said}）：{address}",
)
NO_MODEL = Sentence(
    ModelMissing,
    "{server} does not have the model {model}; {fetch}",
    "{server}没有模型 {model}；{fetch}",
)
NO_KEY = Sentence(
    ModelRefused,
    "{server} needs a key; set OPENAI_API_KEY (any word will do for a local server)",
    "{server}需要密钥；请设置 OPENAI_API_KEY（本地服务填任意一个词即可）",
)
WRONG_KEY = Sentence(
    ModelRefused,
    "{server} refused the key ({said}); set the right one, e.g. in OPENAI_API_KEY",
    "{server}拒绝了密钥（{said}）；请设置正确的密钥，例如用 OPENAI_API_KEY",
)
SPENT = Sentence(
    ModelRefused,
    "the account at {server} has nothing left to spend ({said}); top it up there, or use another model",
    "{server}上的账户余额或额度已用完（{said}）；请充值，或换一个模型",
)
BUSY_NOW = Sentence(
    ModelRefused,
    "{server} has had too many requests ({said}); wait a little or raise your limit there",
    "{server}收到的请求太多（{said}）；请稍等，或在那里提高限额",
)
REFUSED = Sentence(
    ModelRefused,
    "{server} refused the request to {model} ({said}); see which of its limits the request breaks",
    "{server}拒绝了对 {model} 的请求（{said}）；请查看请求违反了它的哪条限制",
)
FAILED = Sentence(
    ModelError,
    "{server} failed while running {model} ({said}); look into the server's log, then try again",
    "{server}运行 {model} 时出错（{said}）；请查看服务的日志，然后再试",
)
TOO_LONG = Sentence(
    ContextTruncated,
    "the prompt is longer than {model}'s window on {server} ({said}); lower our window or raise the server's",
    "提示词超出了 {model} 在{server}上的窗口（{said}）；请调小本程序的窗口，或调大服务端的窗口",
)
CUT = Sentence(
    ContextTruncated,
    "{server} read {read} tokens of a prompt of at least {least}, so its window is smaller than the {window} asked "
    "for: give {model} a larger window there, or set executor_window lower",
    "{server}只读了提示词的 {read} 个词元，而提示词至少有 {least} 个，说明它的窗口小于所要求的 {window}："
    "请在那里给 {model} 更大的窗口，或调小 executor_window",
)

_Cures = dict[str, str]
_OLLAMA_CURES: tuple[_Cures, _Cures] = (
    {
        "start": "start it with `ollama serve`, set OLLAMA_HOST to where it runs, or do without a server with "
        "`{option} embedded`",
        "fetch": "fetch it with `ollama pull {model}`",
        "address": "set OLLAMA_HOST to where Ollama runs, such as http://127.0.0.1:11434, without a path, or use "
        "openai:{model} for a server of another kind",
    },
    {
        "start": "请用 `ollama serve` 启动它，或把 OLLAMA_HOST 设为它的地址；没有服务时可用 `{option} embedded`",
        "fetch": "请用 `ollama pull {model}` 下载",
        "address": "请把 OLLAMA_HOST 设为 Ollama 的地址，如 http://127.0.0.1:11434，不带路径；若是别种服务，请用 "
        "openai:{model}",
    },
)
_OTHER_CURES: tuple[_Cures, _Cures] = (
    {
        "start": "check that it runs and that its address (OPENAI_BASE_URL) is right",
        "fetch": "ask the server for the names it knows (GET /v1/models) and use one of them",
        "address": "set OPENAI_BASE_URL to the address its manual gives, which mostly ends in /v1, such as "
        "http://127.0.0.1:8080/v1",
    },
    {
        "start": "请检查它是否在运行，以及它的地址（OPENAI_BASE_URL）是否正确",
        "fetch": "请向服务查询它有哪些模型（GET /v1/models），然后用其中一个",
        "address": "请把 OPENAI_BASE_URL 设为其手册所给的地址，通常以 /v1 结尾，如 http://127.0.0.1:8080/v1",
    },
)


def _cures(server: str) -> tuple[_Cures, _Cures]:
    return _OLLAMA_CURES if server.lower().startswith("ollama") else _OTHER_CURES


def _filled(cures: _Cures, model: str, option: str) -> _Cures:
    return {name: cure.format(model=model, option=option) for name, cure in cures.items()}


def _in_chinese(server: str) -> str:
    """How error sentences in Chinese name a server that is named in English."""
    for pattern, words in _SERVERS_IN_CHINESE:
        if found := re.fullmatch(pattern, server):
            return words.format(*found.groups())
    return f" {server} "


_SERVERS_IN_CHINESE = (
    (r"Ollama at (.+)", " Ollama（{0}）"),
    (r"the server at (.+)", "服务（{0}）"),
    (r"the embedded model's server \(log: (.+)\)", "内置模型的服务（日志：{0}）"),
    (r"the embedded embedder", "内置嵌入器"),
)
