import json

import httpx
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI

from memory_secretary.memory.errors import ContextTruncated, ModelRefused
from memory_secretary.nodes.models.calls import call, end_reason, least_tokens
from memory_secretary.nodes.models.handle import ModelHandle, Provider
from memory_secretary.nodes.models.resolve import resolve_model

FORMAT = {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}


class Wire:
    """OpenAI's protocol without a socket: keeps the bodies, says what it was told to."""

    def __init__(self, content: str = "hi", finish: str = "stop") -> None:
        self.bodies: list[dict] = []
        self.answer = {
            "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
        }  # fmt: skip

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(json.loads(request.content))
        return httpx.Response(200, json=self.answer)

    def handle(self, provider: Provider = Provider.OPENAI, *, server: str = "the wire", **options) -> ModelHandle:
        client = httpx.Client(transport=httpx.MockTransport(self))
        options = {"base_url": "http://127.0.0.1:1/v1"} | options
        model = ChatOpenAI(model="m", api_key="none", http_client=client, **options)
        return ModelHandle(
            model=model, name="m", window=512, count=len, server=server, provider=provider, structured=None, slots=2
        )


def ask(handle: ModelHandle, *messages, format_=None) -> AIMessage:
    message, seconds = call(
        handle, messages or [HumanMessage("hello")], format_, 77, RunnableConfig(), iter((1.0, 3.5)).__next__
    )
    assert seconds == 2.5
    return message


def test_a_server_of_ones_own_gets_format_limit_and_slot_in_words_it_knows():
    wire = Wire()
    ask(wire.handle(Provider.LLAMA_CPP).for_role(1), format_=FORMAT)
    body = wire.bodies[0]
    assert (body["response_format"], body["max_tokens"], body["id_slot"]) == (FORMAT, 77, 1)
    assert "max_completion_tokens" not in body


def test_the_hosted_server_gets_its_own_word_for_the_limit_and_no_slot(monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    wire = Wire()
    ask(wire.handle(base_url=None).for_role(1))
    assert wire.bodies[0]["max_completion_tokens"] == 77
    assert not {"max_tokens", "id_slot", "response_format"} & wire.bodies[0].keys()


def test_what_the_user_put_into_the_body_stays():
    wire = Wire()
    ask(wire.handle(extra_body={"ttl": 300}), format_=FORMAT)
    assert (wire.bodies[0]["ttl"], wire.bodies[0]["response_format"]) == (300, FORMAT)


def test_a_reply_that_was_cut_off_under_a_schema_comes_back_instead_of_an_exception():
    message = ask(Wire('{"a": "b', "length").handle(), format_=FORMAT)
    assert message.text == '{"a": "b'
    assert message.response_metadata["finish_reason"] == "length"


class StreamingWire(Wire):
    """Answers as a stream where it is asked for one; ``refuses`` is the status that says no to streams."""

    def __init__(self, *pieces: str, refuses: int = 0) -> None:
        super().__init__("".join(pieces))
        self.pieces, self.refuses = pieces, refuses

    def __call__(self, request: httpx.Request) -> httpx.Response:
        whole = super().__call__(request)
        if not self.bodies[-1].get("stream"):
            return whole
        if self.refuses:
            return httpx.Response(self.refuses, json={"error": {"message": "stream_options is not known here"}})
        events = [self.event([{"index": 0, "delta": {"role": "assistant", "content": piece}}]) for piece in self.pieces]
        events.append(self.event([{"index": 0, "delta": {}, "finish_reason": "stop"}]))
        if self.bodies[-1].get("stream_options", {}).get("include_usage"):
            usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12,
                     "prompt_tokens_details": {"cached_tokens": 4}}  # fmt: skip
            events.append(self.event([], usage=usage))
        return httpx.Response(200, text="".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]))

    def event(self, choices, **more) -> str:
        chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
        return json.dumps(chunk | more)


def hear(handle: ModelHandle, **options) -> tuple[AIMessage, list[str]]:
    heard: list[str] = []
    message, _ = call(handle, [HumanMessage("hello")], FORMAT, 77, RunnableConfig(), float, heard.append, **options)
    return message, [piece for piece in heard if piece]


def test_a_stream_is_heard_piece_by_piece_and_brings_its_usage():
    wire = StreamingWire('{"a": ', '"b"}')
    message, heard = hear(wire.handle(server="streams"))
    assert (heard, message.text, type(message)) == (['{"a": ', '"b"}'], '{"a": "b"}', AIMessage)
    assert (message.usage_metadata["input_tokens"], message.usage_metadata["input_token_details"]["cache_read"]) == (
        9,
        4,
    )
    assert end_reason(message) == "stop"
    assert wire.bodies[0]["response_format"] == FORMAT


def test_a_call_that_nobody_hears_is_no_stream():
    wire = StreamingWire("hi")
    ask(wire.handle())
    assert wire.bodies[0]["stream"] is False


@pytest.mark.parametrize(
    "make", [lambda: Wire("hi"), lambda: StreamingWire("hi", refuses=400)], ids=["mute", "refuses"]
)
def test_a_server_that_cannot_stream_is_asked_for_the_whole_and_remembered(make):
    wire = make()
    handle = wire.handle(server=f"server {id(wire)}")
    assert [hear(handle)[1] for _ in range(2)] == [["hi"], ["hi"]]
    assert [bool(body.get("stream")) for body in wire.bodies] == [True, False, False]


def test_a_wrong_key_is_no_reason_to_ask_again():
    wire = StreamingWire("hi", refuses=401)
    with pytest.raises(ModelRefused, match="key"):
        hear(wire.handle(server="locked"))
    assert len(wire.bodies) == 1


def test_a_client_without_streams_gives_the_whole(scripted_model):
    handle = resolve_model(scripted_model.enqueue("whole"), window=512)
    assert hear(handle)[1] == ["whole"]


def test_half_characters_and_controls_do_not_stop_a_request():
    wire = Wire()
    ask(wire.handle(), SystemMessage("fine"), HumanMessage("tail \ud83e and \x00"))
    assert wire.bodies[0]["messages"][0]["content"] == "fine"
    assert wire.bodies[0]["messages"][1]["content"].startswith("tail ⟨U+D83E⟩")


def test_a_server_that_read_less_than_was_sent_is_named():
    wire = Wire()
    with pytest.raises(ContextTruncated, match=r"the wire read 9 tokens.*window"):
        ask(wire.handle(), HumanMessage("The kiln slot at 16:40 moves to Thursday. " * 20))


def test_a_reply_without_counts_is_no_truncation(scripted_model):
    handle = resolve_model(scripted_model.enqueue("ok"), window=512)
    assert ask(handle, HumanMessage("long " * 500)).text == "ok"


SAMPLES = [
    "The quarterly report was delivered on time, and the committee approved the budget without further questions.",
    "internationalisation responsibilities notwithstanding, representatives acknowledged disproportionate consequences",
    "把周五的备份脚本交给小周，周六上午再检查一次日志和磁盘空间。",
    '{"invoice": "INV-2041", "cents": 129900, "lines": [{"sku": "A-7", "qty": 3}]}',
    "    def f(x):\n        return x + 1\n" * 4,
    "-" * 400 + " " * 300,
    "来週は京都で打ち合わせ。회의는 금요일입니다.",
]


@pytest.mark.model
def test_no_real_count_is_below_the_least_count():
    handle = resolve_model("embedded:0.5b", window=512)
    try:
        assert [text for text in SAMPLES if least_tokens(text) > handle.count(text)] == []
    finally:
        handle.close()


def test_the_least_count_is_most_of_what_ordinary_text_has():
    assert least_tokens(SAMPLES[0]) >= 15
    assert least_tokens(SAMPLES[2]) >= 9
    assert least_tokens("") == 0
