"""Methods from finished tasks to the next brief: learned over a real ledger, shown only where they are switched on."""

from __future__ import annotations

import re

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from long_walk import LongWalk
from policy import PolicyModel, step

from memory_secretary.graph import Settings, build_graph, build_methods_graph
from memory_secretary.memory import MemoryType, Role, Scope, Status, Tier, TieredMemory
from memory_secretary.memory.drafts import CardDraft
from memory_secretary.memory.errors import ModelUnreachable, ScopeError
from memory_secretary.memory.injection import format_memories
from memory_secretary.memory.records import Action
from memory_secretary.nodes.methods.finished import finished_tasks
from memory_secretary.nodes.methods.method import from_text, to_text
from memory_secretary.nodes.wording import EN, ZH

ANA = Scope(user="ana")
ANSWER = {
    "sub_goals": [{"text": "list the records", "tool": "list_records"}, {"text": "get each one", "tool": "get_record"},
                  {"text": "give the total", "tool": "answer"}],
    "note": ["amount due"], "look_up": ["get each id of the list"], "check": ["every record was opened"],
}  # fmt: skip


def teacher(*replies):
    """A teacher that gives these answers in turn, the last one from then on."""
    left = list(replies) or [ANSWER]
    return PolicyModel(rule=lambda prompt: left.pop(0) if len(left) > 1 else left[0])


@pytest.fixture
def walk(new_graph):
    """Runs a task over so many records in a thread; gives the world, the model and the last state."""

    def run(records=3, thread="t1", **settings):
        world = LongWalk(records)
        model = world.worker()
        graph = new_graph(model, world.tools(), **settings)
        out = graph.invoke({"messages": [("user", world.goal)]}, {"configurable": {"thread_id": thread}})
        return world, model, out

    return run


@pytest.fixture
def learn(memory):
    def run(model=None, user="ana", **given):
        graph = build_methods_graph(model or teacher(), memory, Settings(user_id=user))
        return graph.invoke(given)

    return run


def methods(memory, status="active"):
    return memory.view(Role.USER, ANA).cards([MemoryType.METHOD], status=status)


def briefs(model, heading=EN.goal):
    return [str(prompt[-1].content) for prompt in model.prompts if f"## {heading}" in str(prompt[-1].content)]


def test_a_finished_task_gives_a_card_of_what_code_saw_and_what_the_teacher_worded(memory, walk, learn):
    walk(3)
    out = learn()
    assert (out["status"], out["failures"], out["figures"]["methods"]) == ("done", [], 1)
    [card] = methods(memory)
    assert (card.tier, card.type, card.source_agent, card.memory_id) == (
        Tier.LONG, MemoryType.METHOD, Role.DISTILLER, out["cards"][0]
    )  # fmt: skip
    assert card.content == (
        "How tasks like these are done (learned from 1)\nAsks for: values\nWords of the task: amounts; due\n"
        "Tools: list_records() once; get_record(record_id) each\n"
        "Steps: list the records [list_records]; get each one [get_record]; give the total [answer]\n"
        "Note: amounts due; amount due\nCompute: total; high; low\nLook up: get each id of the list\n"
        "Check: each record that was read has its value noted; every record was opened"
    )


def test_its_evidence_is_the_traces_own_events_word_for_word(memory, walk, learn):
    walk(3)
    learn()
    [card] = methods(memory)
    events = {event.event_id: event for event in memory.view(Role.SECRETARY, ANA.on("t1")).events()}
    quoted = [events[proof.event_id] for proof in card.evidence]
    assert [event.action for event in quoted] == [Action.REQUEST, "list_records", "get_record", Action.ANSWER]
    for proof in card.evidence:
        assert proof.quote in events[proof.event_id].observation


def test_a_second_run_asks_nobody_and_more_tasks_make_it_better_up_to_three(memory, walk, learn):
    for number, (written, resting) in enumerate([(1, 1), (1, 2), (1, 3), (0, 3)], 1):
        walk(number + 1, thread=f"t{number}")
        out = learn()
        assert out["figures"]["methods"] == written
        [card] = methods(memory)
        assert from_text(card.content).tasks == resting
        again = learn()
        assert (again["figures"]["calls"], again["figures"]["unchanged"]) == (0, 1)
    assert len(methods(memory, status="superseded")) == 2
    assert learn(again=True)["figures"]["methods"] == 1
    assert len(methods(memory)) == 1


def test_a_bad_answer_is_asked_for_once_more_with_what_was_wrong(memory, walk, learn):
    walk()
    model = teacher({**ANSWER, "sub_goals": [{"text": "erase it", "tool": "erase"}]}, ANSWER)
    out = learn(model)
    assert (out["figures"]["calls"], out["figures"]["methods"]) == (2, 1)
    assert "names no tool of the tasks" in str(model.prompts[1][-1].content)


def test_two_bad_answers_give_no_card_and_are_listed_and_the_next_run_tries_again(memory, walk, learn):
    walk()
    out = learn(teacher("no JSON at all"))
    [failure] = out["failures"]
    assert (out["status"], out["figures"]["calls"], methods(memory)) == ("done", 2, [])
    assert failure["kind"] == "en:values:get_record,list_records"
    assert failure["reason"]
    assert learn()["figures"]["methods"] == 1


def test_what_was_good_of_two_answers_with_faults_is_kept(memory, walk, learn):
    walk()
    out = learn(teacher({**ANSWER, "check": ["Petra agrees with Ben", "the list is whole"]}))
    assert (out["figures"]["calls"], out["figures"]["methods"]) == (2, 1)
    assert "'Ben' belongs to one task" in out["reasons"]
    assert "Petra" not in methods(memory)[0].content
    assert "the list is whole" in methods(memory)[0].content


def test_a_server_that_is_down_or_a_limit_of_calls_ends_the_run_and_what_is_left_is_learned_later(memory, walk, learn):
    walk()

    def down(prompt):
        raise ModelUnreachable("nobody is there", zh="连不上")

    out = learn(PolicyModel(rule=down))
    assert (out["status"], out["cards"]) == ("stopped", [])
    assert "nobody is there" in out["stop_reason"]
    assert learn(calls=0)["stop_reason"] == "no call is left"
    assert learn()["figures"]["methods"] == 1


def test_a_run_that_was_broken_off_goes_on_from_its_checkpoint_in_a_new_process(memory, walk):
    walk()
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "learn"}}
    first = build_methods_graph(teacher(), memory, Settings(user_id="ana"), checkpointer=saver)
    first.invoke({}, config, interrupt_before=["learn"])
    second = build_methods_graph(teacher(), memory, Settings(user_id="ana"), checkpointer=saver)
    assert second.invoke(None, config)["figures"]["methods"] == 1


def test_nothing_is_learned_of_another_users_tasks_and_nobody_is_refused(memory, walk, learn):
    walk()
    assert learn(user="ben")["figures"]["tasks"] == 0
    with pytest.raises(ScopeError):
        build_methods_graph(teacher(), memory, Settings()).invoke({})


# --- what a task is learned from -----------------------------------------------------------------------------------


def tasks_of(memory):
    return finished_tasks(lambda scope: memory.view(Role.SECRETARY, scope), ANA)


def test_a_task_that_was_stopped_or_needed_no_tool_or_was_forgotten_teaches_nothing(memory, walk, new_graph):
    walk(3, thread="stopped", max_steps=2)
    graph = new_graph(PolicyModel(rule=lambda prompt: step("final_answer", answer="Hello!")))
    graph.invoke({"messages": [("user", "Hello")]}, {"configurable": {"thread_id": "hello"}})
    assert tasks_of(memory) == []
    walk(3)
    [task] = tasks_of(memory)
    assert task.tools == ("list_records", "get_record")
    memory.view(Role.USER, ANA).forget_turn(task.request.event_id)
    assert tasks_of(memory) == []


def test_what_was_recalled_is_no_part_of_a_trace(memory, walk):
    walk(3)
    memory.remember(ANA, "Answers under 200 words")
    block = format_memories(memory.recall(ANA, "answers words"))
    view = memory.view(Role.SECRETARY, ANA.on("t1"))
    stored = view.load_task_state()
    head = stored.head
    for action, text in [("recall", "- old text"), ("get_record", f"The page says: {block}")]:
        head = view.record("tool", action, observation=text, arguments={}, phase="result", parent=head).event_id
    view.save_task_state(stored.state, head=head, step=9)
    [task] = tasks_of(memory)
    assert {event.action for event in task.results} == {"list_records", "get_record"}
    assert not any("memories" in event.observation for event in task.results)


def test_only_the_threads_newest_task_is_taken_with_its_own_events(memory, walk):
    walk(2)
    walk(3)
    [task] = tasks_of(memory)
    assert [event.action for event in task.results] == ["list_records", *["get_record"] * 3]


def test_a_method_that_the_user_forgot_is_not_learned_anew_until_restored(memory, walk, learn):
    walk()
    [ref] = learn()["cards"]
    memory.forget(ANA, ref)
    walk(2, thread="t2")
    figures = learn(again=True)["figures"]
    assert (figures["tasks"], figures["unchanged"], figures["calls"]) == (2, 1, 0)
    memory.restore(ANA, ref)
    assert learn(again=True)["figures"]["methods"] == 1


def test_to_forget_a_request_takes_the_method_that_quotes_it_and_the_other_tasks_may_teach_it_anew(memory, walk, learn):
    walk(2)
    walk(3, thread="t2")
    learn()
    newest, older = tasks_of(memory)
    memory.view(Role.USER, ANA).forget_turn(newest.request.event_id)
    assert methods(memory) == []
    memory.view(Role.USER, ANA).restore_turn(older.request.event_id)
    assert learn()["figures"]["methods"] == 1


# --- in the next task -----------------------------------------------------------------------------------------------


def test_switched_off_the_briefs_are_the_same_to_the_byte_whether_methods_are_known_or_not(tmp_path):
    seen = []
    for learned in (False, True):
        with TieredMemory.open(tmp_path / f"memory-{learned}", embedder=None) as memory:
            for thread in ("t1", "t2"):
                world = LongWalk(3)
                model = world.worker()
                graph = build_graph(model, memory=memory, tools=world.tools(), settings=Settings(user_id="ana"))
                graph.invoke({"messages": [("user", world.goal)]}, {"configurable": {"thread_id": thread}})
                if learned and thread == "t1":
                    build_methods_graph(teacher(), memory, Settings(user_id="ana")).invoke({})
                    assert len(methods(memory)) == 1
            seen.append([re.sub(r"evt_\w+", "evt_", text) for text in briefs(model)])
    assert seen[0] == seen[1]
    assert not any(EN.methods in text for text in seen[1])


def test_switched_on_a_task_of_the_kind_is_shown_the_steps_then_the_checks(memory, walk, learn):
    walk(3)
    learn()
    world, model, out = walk(4, thread="t2", methods=True)
    assert out["messages"][-1].text.endswith(f"{sum(map(world.due, world.ids))} EUR.")
    shown = briefs(model)
    heading = f"## {EN.methods}\n"
    steps = "- Steps: list the records (list_records) → get each one (get_record) → give the total\n"
    assert heading + steps in shown[0]
    assert not any(EN.methods in brief for brief in shown[1:-1]), "the open items are the steps"
    checks = "- Before the answer: each record that was read has its value noted; every record was opened\n"
    assert f"{heading}{checks}" in shown[-1]
    assert shown[0].index(EN.goal) < shown[0].index(EN.methods) < shown[0].index(f"## {EN.goal_again}")


def test_a_method_without_its_tools_or_for_another_goal_is_not_shown(memory, walk, learn, new_graph):
    walk(3)
    learn()
    seen = PolicyModel(rule=lambda prompt: step("final_answer", answer="I have no tools for that."))
    graph = new_graph(seen, methods=True)
    graph.invoke({"messages": [("user", LongWalk(3).goal)]}, {"configurable": {"thread_id": "t9"}})
    assert briefs(seen)
    assert not any(EN.methods in brief for brief in briefs(seen))


def test_its_use_is_counted_like_a_recalled_cards(memory, walk, learn):
    walk(3)
    [ref] = learn()["cards"]
    walk(2, thread="t2", methods=True)
    assert memory.view(Role.USER, ANA).uses()[ref].recalled == 1


def test_a_learned_method_answers_no_question_and_is_found_where_methods_are_asked_for(memory, walk, learn):
    walk(3)
    [ref] = learn()["cards"]
    query = "list the records and get each one"
    assert ref not in {hit.ref for hit in memory.recall(ANA, query, k=50)}
    assert [hit.ref for hit in memory.recall(ANA, query, types=[MemoryType.METHOD])] == [ref]


def test_a_users_own_method_is_recalled_as_before(memory):
    card = memory.remember(ANA, "Read the ledger before the invoices", type=MemoryType.METHOD)
    assert [hit.ref for hit in memory.recall(ANA, "ledger invoices")] == [card.memory_id]


def test_a_method_whose_text_the_user_changed_is_shown_as_they_wrote_it_and_a_broken_one_not_at_all(
    memory, walk, learn
):
    walk(3)
    [ref] = learn()["cards"]
    text = methods(memory)[0].content
    memory.edit(ANA, ref, content=text.replace("get each one", "open every record"))
    assert "open every record (get_record)" in briefs(walk(3, thread="t2", methods=True)[1])[0]
    memory.edit(ANA, ref, content="Do as you like.")
    assert EN.methods not in briefs(walk(3, thread="t3", methods=True)[1])[0]


def test_in_a_small_window_the_method_gives_way_before_the_goal(memory, walk, learn):
    walk(3)
    learn()
    long = from_text(methods(memory)[0].content)
    assert long is not None
    _, model, out = walk(3, thread="t2", methods=True, executor_window=1024)
    assert out["status"] == "done"
    assert LongWalk(3).goal in briefs(model)[0]


def test_a_card_rests_on_events_that_are_there(memory, walk, learn):
    walk(3)
    learn()
    [card] = methods(memory)
    copy = CardDraft(content=to_text(from_text(card.content)), type=MemoryType.METHOD, evidence=card.evidence)
    assert memory.view(Role.DISTILLER, ANA).write(copy).status is Status.ACTIVE


def test_a_chinese_task_gets_a_chinese_method(memory, new_graph, learn):
    answer = {
        "sub_goals": [{"text": "列出清单", "tool": "list_logs"}, {"text": "逐份阅读", "tool": "read_log"},
                      {"text": "给出合计", "tool": "answer"}],
        "note": ["降雨量"], "look_up": ["用清单里的编号打开"], "check": ["每份都读过"],
    }  # fmt: skip

    def list_logs() -> str:
        """列出全部日志。"""
        return "RZ-1\nRZ-2\nRZ-3"

    def read_log(log_no: str) -> str:
        """读一份日志。"""
        return f"日志 {log_no}\n当天的降雨量是 {log_no[-1]}7 毫米。"

    def rule(prompt):
        if "These calls are possible now" in prompt:
            return dict.fromkeys(re.findall(r"^(\d+)\. ", prompt, re.MULTILINE), "yes")
        labels = re.search(r'"choice": ((?:i\d+, )+)something_else', prompt) or re.search(r'"choice": "(i\d+)"', prompt)
        return {"thought": "", "choice": labels[1].split(",")[0]} if labels else step("final_answer", answer="合计 111")

    def run(thread, **settings):
        model = PolicyModel(rule=rule)
        graph = new_graph(model, [list_logs, read_log], **settings)
        said = "请读完清单里的全部日志，把降雨量加起来，合计是多少？"
        graph.invoke({"messages": [("user", said)]}, {"configurable": {"thread_id": thread}})
        return briefs(model, ZH.goal)

    run("t1")
    assert learn(teacher(answer))["failures"] == []
    assert methods(memory)[0].content.startswith("这类任务的做法（从 1 个任务学到）")
    assert f"## {ZH.methods}\n- 回答之前：读过的每份记录都记下了数值; 每份都读过" in run("t2", methods=True)[-1]
