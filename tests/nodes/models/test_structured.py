import json

import pytest
import stand_in_openai as dialects
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from stand_in_ollama import Fault, Said, StandInOllama
from stand_in_openai import StandInOpenAI

from memory_secretary.memory.errors import ContextTruncated, ModelError, ModelMissing, ModelRefused, ModelUnreachable
from memory_secretary.nodes.models.probe import forget, known_dialect
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.models.structured import Structured, ask_json, ask_text, structured_mode

SCHEMA = {"type": "object", "properties": {"城市": {"type": "string"}}, "required": ["城市"]}
PROMPT = [SystemMessage("Answer in few words."), HumanMessage("Where is the depot?")]
BRNO = {"城市": "布尔诺"}


def ask(handle, prompt=PROMPT, **more):
    return ask_json(handle, prompt, SCHEMA, max_tokens=50, **more)


# --- models that know messages only -------------------------------------------------------------------------------


def test_a_model_without_formats_is_asked_in_words_and_never_probed(scripted_model):
    handle = resolve_model(scripted_model.enqueue("Sure:\n```json\n" + json.dumps(BRNO) + "\n```"), window=2048)
    assert ask(handle).data == BRNO
    assert len(scripted_model.history) == 1
    asked = scripted_model.history[0]
    assert asked[:1] == PROMPT[:1], "the beginning stays as it was, for the server's prompt cache"
    assert asked[1].text.startswith("Where is the depot?")
    assert "城市" in asked[1].text, "the schema stands in the prompt"
    assert scripted_model.options == [{}], "options that an unknown client may not know are not sent"


def test_langchains_own_fakes_work():
    handle = resolve_model(GenericFakeChatModel(messages=iter([json.dumps(BRNO), "hello"])), window=2048)
    assert ask(handle).data == BRNO
    assert ask_text(handle, PROMPT, max_tokens=5).text == "hello"


@pytest.mark.parametrize(
    ("said", "problem"),
    [("I do not know.", "no JSON"), ('{"城市": "布', "cut off"), ("", "empty"), ("<think>hm", "unfinished reasoning")],
)
def test_a_reply_without_an_object_has_a_reason(scripted_model, said, problem):
    reply = ask(resolve_model(scripted_model.enqueue(said), window=2048))
    assert reply.data is None
    assert problem in reply.problem


def test_reasoning_reaches_neither_text_nor_data(scripted_model):
    scripted_model.enqueue(f"<think>secret</think>{json.dumps(BRNO)}", "<think>secret</think>In Brno.")
    handle = resolve_model(scripted_model, window=2048)
    reply = ask(handle)
    assert (reply.data, "secret" in reply.text) == (BRNO, False)
    assert ask_text(handle, PROMPT, max_tokens=50).text == "In Brno."


def test_figures_come_from_the_server_and_seconds_from_the_timer(scripted_model):
    usage = {
        "input_tokens": 30, "output_tokens": 5, "total_tokens": 35, "input_token_details": {"cache_read": 24},
    }  # fmt: skip
    said = AIMessage(json.dumps(BRNO), usage_metadata=usage, response_metadata={"finish_reason": "length"})
    reply = ask(resolve_model(scripted_model.enqueue(said), window=2048), timer=iter((10.0, 12.5)).__next__)
    assert (reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens) == (30, 24, 5)
    assert (reply.seconds, reply.cut) == (2.5, True)


def test_figures_that_a_server_does_not_give_are_none(scripted_model):
    reply = ask(resolve_model(scripted_model.enqueue(BRNO), window=2048))
    assert (reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens, reply.cut) == (None, None, None, False)


def test_native_calls_come_along_the_malformed_ones_as_text(scripted_model):
    said = AIMessage(
        "",
        tool_calls=[{"name": "read", "args": {"id": 1}, "id": "c1"}],
        invalid_tool_calls=[{"name": "delete", "args": '{"older', "id": "c2", "error": "cut"}],
    )
    reply = ask(resolve_model(scripted_model.enqueue(said), window=2048))
    assert reply.tool_calls == [
        {"name": "read", "args": {"id": 1}, "id": "c1"},
        {"name": "delete", "args": '{"older', "id": "c2"},
    ]


def test_calls_are_kept_from_the_users_stream_unless_asked_otherwise(scripted_model):
    class Tags(BaseCallbackHandler):
        seen: list = []  # noqa: RUF012 - one instance

        def on_chat_model_start(self, serialized, messages, *, tags=None, **kwargs):
            self.seen.append(tags)

    handle = resolve_model(scripted_model.enqueue(BRNO, "hello"), window=2048)
    watch = Tags()
    ask(handle, config={"callbacks": [watch], "tags": ["plan"]})
    ask_text(handle, PROMPT, max_tokens=5, tags=[], config={"callbacks": [watch]})
    assert [sorted(tags) for tags in watch.seen] == [["nostream", "plan"], []]


# --- a server that speaks Ollama's protocol ----------------------------------------------------------------------


def ollama(server: StandInOllama, window: int = 2048, **more):
    return resolve_model("ollama:qwen2.5:7b", window=window, base_url=server.url, **more)


@pytest.mark.integration
def test_a_server_that_takes_schemas_is_held_to_them_after_one_probe():
    with StandInOllama([BRNO, BRNO]) as server:
        handle = ollama(server)
        replies = [ask(handle), ask(handle.for_role(1))]
        assert [reply.data for reply in replies] == [BRNO, BRNO]
        probe, first, second = server.chats()
        assert probe["format"]["properties"] == {"colour": {"const": "teal"}}
        assert first["format"] == second["format"] == SCHEMA
        assert first["messages"][1]["content"] == "Where is the depot?", "no schema in the words"
        assert replies[0].prompt_tokens > 0
        assert replies[0].completion_tokens > 0


@pytest.mark.integration
def test_every_call_asks_for_the_same_window_so_the_model_is_loaded_once():
    with StandInOllama([BRNO, "hello"]) as server:
        handle = ollama(server, window=3072)
        ask(handle)
        ask_text(handle, PROMPT, max_tokens=5)
        assert {body["options"]["num_ctx"] for body in server.chats()} == {3072}
        assert server.loads == [("qwen2.5:7b", 3072)]
        assert [body["options"]["num_predict"] for body in server.chats()][1:] == [50, 5]
        assert {body["keep_alive"] for body in server.chats()} == {"30m"}


@pytest.mark.integration
@pytest.mark.parametrize(
    ("obeys", "refuses", "mode"),
    [
        (("schema", "json"), False, Structured.SCHEMA),
        (("json",), False, Structured.OBJECT),
        ((), False, Structured.TEXT),
        ((), True, Structured.TEXT),
    ],
)
def test_the_next_best_way_is_found_for_servers_that_can_less(obeys, refuses, mode):
    said = f"Here: {json.dumps(BRNO)}"
    with StandInOllama([said], obeys=obeys, refuses_format=refuses) as server:
        handle = ollama(server)
        assert structured_mode(handle) is mode
        assert ask(handle).data == BRNO
        assert structured_mode(handle) is mode
        last = server.chats()[-1]
        assert last.get("format") == {Structured.SCHEMA: SCHEMA, Structured.OBJECT: "json", Structured.TEXT: None}[mode]
        assert ("城市" in last["messages"][-1]["content"]) == (mode is not Structured.SCHEMA)


@pytest.mark.integration
def test_a_reply_cut_by_its_limit_is_named_and_not_repaired():
    with StandInOllama([{"城市": "很长" * 100}]) as server:
        reply = ask(ollama(server))
        assert (reply.cut, reply.data) == (True, None)
        assert "cut off" in reply.problem


@pytest.mark.integration
def test_native_calls_of_ollama_come_along():
    with StandInOllama([Said(tool_calls=({"name": "read", "arguments": {"id": 1}},))]) as server:
        (call,) = ask(ollama(server)).tool_calls
        assert (call["name"], call["args"]) == ("read", {"id": 1})


@pytest.mark.integration
def test_a_missing_model_is_named_and_nothing_is_remembered():
    with StandInOllama([BRNO], models=("other",)) as server:
        handle = ollama(server)
        with pytest.raises(ModelMissing, match=r"qwen2\.5:7b"):
            ask(handle)
        server.models = ("qwen2.5:7b",)
        assert ask(handle).data == BRNO


@pytest.mark.integration
def test_a_server_that_is_down_is_named():
    with StandInOllama() as server:
        handle = ollama(server)
    with pytest.raises(ModelUnreachable, match=server.url):
        ask(handle)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(text_before='{"城市": "布'), ModelUnreachable),
        (Fault(error="CUDA error", text_before="{"), ModelError),
        (Fault(500, "out of memory"), ModelError),
    ],
)
def test_a_reply_that_breaks_off_is_no_reply(fault, error):
    with StandInOllama([fault]) as server, pytest.raises(error):
        ask(ollama(server))


@pytest.mark.integration
def test_a_server_whose_window_is_smaller_than_ours_is_noticed():
    long = [SystemMessage("Rules. " * 100), HumanMessage("Move the 16:40 kiln slot to Thursday. " * 100)]
    with StandInOllama([BRNO, BRNO], largest_num_ctx=512) as server:
        handle = ollama(server, window=4096)
        with pytest.raises(ContextTruncated, match="window"):
            ask(handle, long)
        assert ask(handle).data == BRNO, "short prompts still go through"


@pytest.mark.integration
def test_a_refused_key_is_an_error_and_not_taken_for_a_server_without_formats():
    with StandInOllama() as server:
        handle = ollama(server)
        server.refuses_with = Fault(401, "unauthorized")
        with pytest.raises(ModelRefused):
            ask(handle)
        server.refuses_with = None
        assert structured_mode(handle) is Structured.SCHEMA


# --- a server that speaks OpenAI's protocol, after the probe ---------------------------------------------------------


@pytest.fixture
def openai(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return lambda server: resolve_model("openai:some-model", window=2048, base_url=server.url)


@pytest.mark.integration
def test_what_a_server_refuses_later_after_all_is_done_without_from_then_on(openai):
    with StandInOpenAI(dialects.VLLM, [BRNO] * 3) as server:
        handle = openai(server)
        ask(handle)
        server.speech = dialects.DEEPSEEK  # another model behind the same address
        assert [ask(handle).data, ask(handle).data] == [BRNO, BRNO]
        assert len(server.refused) == 1
        assert structured_mode(handle) is Structured.OBJECT


@pytest.mark.integration
def test_a_refusal_that_names_nothing_is_an_error_and_changes_nothing(openai):
    with StandInOpenAI(dialects.VLLM, [BRNO] * 2) as server:
        handle = openai(server)
        ask(handle)
        server.fails = (400, dialects.openai_error("the content was flagged"))
        with pytest.raises(ModelRefused, match="flagged"):
            ask(handle)
        server.fails = None
        assert ask(handle).data == BRNO
        assert structured_mode(handle) is Structured.SCHEMA


@pytest.mark.integration
def test_text_is_asked_for_without_a_probe_and_gives_way_to_refusals_too(openai):
    with StandInOpenAI(dialects.VLLM_GEMMA, ["In Brno.", BRNO]) as server:
        handle = openai(server)
        assert ask_text(handle, PROMPT, max_tokens=9).text == "In Brno."
        assert len(server.chats()) == 2
        assert known_dialect(handle) is None, "nothing was found out about schemas"
        assert ask(handle).data == BRNO


@pytest.mark.integration
def test_what_was_found_out_is_forgotten_on_demand(openai):
    with StandInOpenAI(dialects.VLLM) as server:
        handle = openai(server)
        for _ in range(2):
            structured_mode(handle)
        assert len(server.chats()) == 1
        forget(handle)
        assert (known_dialect(handle), structured_mode(handle)) == (None, Structured.SCHEMA)
        assert len(server.chats()) == 2


# --- a real small model --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    handle = resolve_model("embedded:0.5b", window=1024)
    yield handle
    handle.close()


@pytest.mark.model
def test_a_real_model_is_held_to_the_schema_and_keeps_each_roles_prompt(small):
    schema = {
        "type": "object",
        "properties": {"step": {"anyOf": [{"const": "read"}, {"const": "write"}]}},
        "required": ["step"],
    }
    prompts = [
        [SystemMessage(f"You are role {role}. " + "Be brief and exact. " * 12), HumanMessage("Read or write?")]
        for role in range(2)
    ]
    replies = [ask_json(small.for_role(n % 2), prompts[n % 2], schema, max_tokens=30) for n in range(4)]
    assert all(reply.data["step"] in ("read", "write") for reply in replies)
    assert all(reply.cached_tokens > 0.8 * reply.prompt_tokens for reply in replies[2:])


@pytest.mark.model
def test_ollamas_protocol_backed_by_a_real_model_gives_the_same_kind_of_reply(small):
    with StandInOllama(backend=small.model.openai_api_base) as server:
        reply = ask(ollama(server), [HumanMessage("In which city is the Eiffel tower? Answer in Chinese.")])
        assert set(reply.data) == {"城市"}


@pytest.mark.model
@pytest.mark.integration
@pytest.mark.parametrize(
    "speech",
    [
        dialects.LLAMA_CPP, dialects.VLLM_GEMMA, dialects.DEEPSEEK, dialects.SILICONFLOW,
    ],
    ids=lambda speech: speech.name,
)  # fmt: skip
def test_each_dialect_backed_by_a_real_model_gives_the_same_kind_of_reply(small, speech):
    with StandInOpenAI(speech, backend=small.model.openai_api_base) as server:
        handle = resolve_model("openai:some-model", window=1024, base_url=server.url, timeout=600)
        prompt = [SystemMessage("Answer in few words."), HumanMessage("In which city is the Eiffel tower?")]
        reply = ask_json(handle, prompt, SCHEMA, max_tokens=60)
        refused = len(server.refused)
        ask_json(handle, prompt, SCHEMA, max_tokens=60)
    assert set(reply.data) == {"城市"}
    assert len(server.refused) == refused, "what was found out holds"


@pytest.mark.model
def test_a_prompt_longer_than_the_window_is_refused_with_a_sentence(small):
    with pytest.raises(ModelError):
        ask(small, [HumanMessage("one two three " * 1000)])
