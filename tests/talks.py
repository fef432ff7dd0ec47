"""Hand-made traces of agents: each is a list of messages in OpenAI's form, some with a known error, some without."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

Talk = list[dict[str, Any]]

_ids = count(1)


def user(text: str) -> Talk:
    """The user says something."""
    return [{"role": "user", "content": text}]


def said(text: str) -> Talk:
    """The assistant answers."""
    return [{"role": "assistant", "content": text}]


def call(tool: str, result: str, /, thought: str = "", **arguments: Any) -> Talk:
    """The assistant calls a tool, and its result."""
    made = f"c{next(_ids)}"
    function = {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return [
        {
            "role": "assistant",
            "content": thought,
            "tool_calls": [{"id": made, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": made, "content": result},
    ]


NOISE_EN = "The yard was swept, the gate was painted and the wind came from the west all day long. " * 12
NOISE_ZH = "院子扫过了，大门刷了漆，整天刮着西风，工人们在仓库里喝茶聊天。" * 12


def far(lang: str, n: int = 6) -> Talk:
    """Steps that fill a window of 1,024 tokens: each reads another note, whose name and text differ."""
    noise = NOISE_ZH if lang == "zh" else NOISE_EN
    return [part for k in range(n) for part in call("read_note", f"{noise} [{'abcdefghij'[k]}]", note="abcdefghij"[k])]


ERRORS: dict[str, tuple[str, Talk]] = {
    # step repeated
    "repeat": ("step_repeated", [
        *user("Read INV-1 and the notes of the yard, then tell me the amount of INV-1."),
        *call("read_invoice", "Invoice INV-1: amount due 417 EUR.", id="INV-1"), *far("en"),
        *call("read_invoice", "Invoice INV-1: amount due 417 EUR.", id="INV-1"),
        *said("INV-1: the amount due is 417 EUR."),
    ]),
    "repeat zh": ("step_repeated", [
        *user("先读发票 INV-1 和院子的记录，再告诉我 INV-1 的金额。"),
        *call("read_invoice", "发票 INV-1：应付 417 元。", id="INV-1"), *far("zh"),
        *call("read_invoice", "发票 INV-1：应付 417 元。", id="INV-1"),
        *said("INV-1 的应付金额是 417 元。"),
    ]),
    "paid twice": ("step_repeated", [
        *user("Pay INV-2 and INV-4."), *call("pay_invoice", "paid 90 EUR", id="INV-2"),
        *call("pay_invoice", "paid 70 EUR", id="INV-4"), *far("en"),
        *call("pay_invoice", "paid 90 EUR", id="INV-2"), *said("What was due is paid."),
    ]),
    # goal lost
    "asks for the task": ("goal_lost", [
        *user("Find the supplier of the copper pipes and send them the complaint about the late delivery."),
        *call("read_note", "Copper pipes: the supplier is Brenner & Sons.", note="pipes"), *far("en"),
        *said("I have read the notes. What would you like me to do with them?"),
    ]),
    "asks for the task zh": ("goal_lost", [
        *user("找出铜管的供应商，并把交货延迟的投诉发给他们。"),
        *call("read_note", "铜管：供应商是布伦纳公司。", note="pipes"), *far("zh"),
        *said("记录都读完了。请问需要我做什么？"),
    ]),
    "wanders off": ("goal_lost", [
        *user("Find the supplier of the copper pipes."),
        *call("search", "pipes.md: copper pipes, see the supplier list", query="copper pipes supplier"),
        *far("en", 6), *said("The gate was painted and the yard was swept."),
    ]),
    # contradiction
    "two values": ("contradiction", [
        *user("What is the balance of the Harbour account?"),
        *call("read_account", "Harbour account, balance 8,420 EUR.", name="harbour"),
        *said("The balance of the Harbour account is 8,420 EUR."),
        *user("And read all the notes of the yard, please."), *far("en"), *said("All notes of the yard are read."),
        *user("Write me one line about the Harbour account."),
        *said("The balance of the Harbour account is 6,300 EUR."),
    ]),
    "two values zh": ("contradiction", [
        *user("海港账户的余额是多少？"),
        *call("read_account", "海港账户，余额 8420 元。", name="harbour"),
        *said("海港账户的余额是 8420 元。"),
        *user("再把院子的记录都读一遍。"), *far("zh"), *said("院子的记录都读过了。"),
        *user("写一句关于海港账户的话。"), *said("海港账户的余额是 6300 元。"),
    ]),
    "forbidden call": ("contradiction", [
        *user("Settle what is due. Never pay INV-3, it is disputed."), *far("en"),
        *call("pay_invoice", "paid", id="INV-3"), *said("Everything that was due is settled."),
    ]),
    "forbidden call zh": ("contradiction", [
        *user("把到期的发票结清。不要付 INV-3，它有争议。"), *far("zh"),
        *call("pay_invoice", "已付款", id="INV-3"), *said("到期的发票都已结清。"),
    ]),
    # missing information
    "denies what was told": ("missing_information", [
        *user("The access code of the depot gate is 4417, you will need it later. Now read the notes of the yard."),
        *far("en"), *said("The notes are read."), *user("Open the gate of the depot for me, please."),
        *said("I do not know the access code of the depot gate."),
    ]),
    "denies what was told zh": ("missing_information", [
        *user("仓库大门的门禁码是 4417，之后会用到。现在先读院子的记录。"), *far("zh"), *said("记录读完了。"),
        *user("请打开仓库大门。"), *said("抱歉，我不知道仓库大门的门禁码。"),
    ]),
    "leaves items out": ("missing_information", [
        *user("Read the records REC-11, REC-12 and REC-13 and give me one sentence about each record."),
        *call("read_record", "REC-11: the roof leaks.", id="REC-11"), *far("en"),
        *call("read_record", "REC-12: the lift stands still.", id="REC-12"),
        *call("read_record", "REC-13: the cellar is dry.", id="REC-13"),
        *said("REC-12: the lift stands still. REC-13: the cellar is dry."),
    ]),
    "leaves items out zh": ("missing_information", [
        *user("读 REC-11、REC-12、REC-13，每份记录写一句话。"),
        *call("read_record", "REC-11：屋顶漏水。", id="REC-11"), *far("zh"),
        *call("read_record", "REC-12：电梯停了。", id="REC-12"),
        *call("read_record", "REC-13：地下室是干的。", id="REC-13"),
        *said("REC-12：电梯停了。REC-13：地下室是干的。"),
    ]),
    # invention
    "made-up id": ("invention", [
        *user("Cancel the order of Mrs. Okafor."),
        *call("find_orders", "Orders of Mrs. Okafor: ORD-5512.", customer="Okafor"), *far("en"),
        *call("cancel_order", "There is no such order.", order_id="ORD-7731"),
    ]),
    "made-up id zh": ("invention", [
        *user("取消王女士的订单。"), *call("find_orders", "王女士的订单：ORD-5512。", customer="王"), *far("zh"),
        *call("cancel_order", "没有这个订单。", order_id="ORD-7731"),
    ]),
    "made-up address": ("invention", [
        *user("Send the complaint to the supplier of the pipes."),
        *call("find_supplier", "Brenner & Sons, office@brenner.example", of="pipes"), *far("en"),
        *call("send_mail", "sent", to="info@brennersons.example", text="The pipes came late."),
    ]),
    "made-up number": ("invention", [
        *user("What does the contract say about the weight limit of the north bridge?"),
        *call("read_contract", "The weight limit of the north bridge is 4,250 kg.", part="bridge"), *far("en"),
        *said("The weight limit of the north bridge is 3,800 kg."),
    ]),
    "made-up number zh": ("invention", [
        *user("合同里北桥的限重是怎么写的？"),
        *call("read_contract", "北桥的限重为 4250 公斤。", part="bridge"), *far("zh"),
        *said("北桥的限重为 3800 公斤。"),
    ]),
}  # fmt: skip
"""Each has exactly one error, whose cause lies outside a window of 1,024 tokens: its kind, and the messages."""

CLEAN: dict[str, Talk] = {
    "plain": [
        *user("What is the amount of INV-1?"), *call("read_invoice", "INV-1: amount due 417 EUR.", id="INV-1"),
        *said("The amount due of INV-1 is 417 EUR."),
    ],
    "plain zh": [
        *user("INV-1 的金额是多少？"), *call("read_invoice", "INV-1：应付 417 元。", id="INV-1"),
        *said("INV-1 应付 417 元。"),
    ],
    "a long task done well": [
        *user("Read the notes a to f of the yard and tell me in one sentence what was done there."), *far("en"),
        *said("In the yard, the gate was painted and everything was swept, says each of the notes."),
    ],
    "a long task done well zh": [
        *user("读院子的记录 a 到 f，用一句话告诉我那里做了什么。"), *far("zh"), *said("院子扫过了，大门也刷了漆。"),
    ],
    "polls until it is ready": [
        *user("Start the export and tell me when it is done."), *call("start", "job JOB-41 started"),
        *call("status", "running, 20 %", id="JOB-41"), *call("status", "running, 20 %", id="JOB-41"),
        *call("status", "done", id="JOB-41"), *said("The export is done."),
    ],
    "tests that still fail after a change": [
        *user("Make the tests of the yard pass."), *call("run_tests", "1 failed: test_gate"),
        *call("read_file", "gate = 1", path="gate.py"), *call("edit_file", "edited", path="gate.py", text="gate = 2"),
        *call("run_tests", "1 failed: test_gate"), *call("edit_file", "edited", path="gate.py", text="gate = 3"),
        *call("run_tests", "all passed"), *said("The tests of the yard pass."),
    ],
    "looked at again after a change": [
        *user("Pay INV-2 and see whether the balance went down."), *call("get_balance", "90 EUR"),
        *call("pay_invoice", "paid", id="INV-2"), *call("get_balance", "90 EUR"),
        *said("INV-2 is paid, but the balance is still 90 EUR."),
    ],
    "days and times that were worked out": [
        *user("What is in my calendar tomorrow from 10 to 12?"),
        *call("calendar", "nothing", start="2026-12-01T10:00Z", to="2026-12-01T12:00Z", format="ics2"),
        *said("Nothing is in your calendar then."),
    ],
    "settings of its own": [
        *user("Look for reports about the yard."),
        *call("search", "report one", query="yard 2026", limit=25, mode="v1.2", encoding="utf-16"),
        *said("There is one report about the yard."),
    ],
    "code and paths": [
        *user("Why does the build fail?"), *call("list_files", "src/app.py\ntests/test_app2.py", folder="."),
        *call("read_file", "import yaml3", path="src/app.py"), *call("read_file", "ok", path="tests/test_app2.py"),
        *call("run", "ModuleNotFoundError: yaml3", command="python3 -m build"),
        *said("The build fails: `src/app.py` imports `yaml3`, which is not installed."),
    ],
    "asked again in a later turn": [
        *user("What is the weather in Brno?"), *call("weather", "12 °C and rain", city="Brno"),
        *said("12 °C and rain in Brno."), *user("And now? Look again."),
        *call("weather", "12 °C and rain", city="Brno"), *said("Still 12 °C and rain in Brno."),
    ],
    "a value that changed": [
        *user("What is the price of the red lamp?"), *call("price", "The red lamp costs 45 EUR.", item="red lamp"),
        *said("The price of the red lamp is 45 EUR."), *user("And today?"),
        *call("price", "The red lamp costs 49 EUR.", item="red lamp", day="today"),
        *said("The price of the red lamp is 49 EUR."),
    ],
    "corrected by the user zh": [
        *user("海港账户的余额是 8420 元，记下来。"), *said("海港账户的余额是 8420 元，已记下。"),
        *user("说错了，是 6300 元。"), *said("海港账户的余额是 6300 元。"),
    ],
    "counts on": [
        *user("Read all reports."), *call("read", "Report one: fine.", n=1),
        *said("I have read 1 of 3 reports so far."),
        *user("Go on."), *call("read", "Report two: fine.", n=2), *said("I have read 2 of 3 reports so far."),
    ],
    "adds up": [
        *user("What is the total of INV-1 and INV-2?"), *call("read_invoice", "INV-1: 417 EUR", id="INV-1"),
        *call("read_invoice", "INV-2: 583 EUR", id="INV-2"), *said("The total is 1,000 EUR."),
    ],
    "adds up zh": [
        *user("INV-1 和 INV-2 合计多少？"), *call("read_invoice", "INV-1：417 元", id="INV-1"),
        *call("read_invoice", "INV-2：583 元", id="INV-2"), *said("合计 1000 元。"),
    ],
    "what is not there is said not to be there": [
        *user("What is the phone number of Brenner & Sons?"), *call("search", "no entry found", query="Brenner phone"),
        *said("I could not find a phone number of Brenner & Sons."),
    ],
    "what is not there is said not to be there zh": [
        *user("布伦纳公司的电话是多少？"), *call("search", "没有找到相关条目", query="布伦纳 电话"),
        *said("没有找到布伦纳公司的电话。"),
    ],
    "chooses among what it read": [
        *user("Read REC-11, REC-12 and REC-13. Which of them speak of water?"),
        *call("read_record", "REC-11: the roof leaks water.", id="REC-11"),
        *call("read_record", "REC-12: the lift stands still.", id="REC-12"),
        *call("read_record", "REC-13: the cellar is dry.", id="REC-13"), *said("REC-11 speaks of water."),
    ],
    "makes a file of its own": [
        *user("Write a report about the yard."), *call("read_note", "The yard was swept.", note="yard"),
        *call("write_file", "written", path="report-2026.md", text="The yard was swept."),
        *said("The report about the yard stands in report-2026.md."),
    ],
    "a path put together": [
        *user("Read the first file in the folder notes."), *call("list_files", "a1.md\nb2.md", folder="notes"),
        *call("read_file", "The yard was swept.", path="notes/a1.md"), *said("It says that the yard was swept."),
    ],
    "small talk": [*user("Hello!"), *said("Hello! How can I help you?")],
    "small talk zh": [*user("你好！"), *said("您好！请问有什么可以帮您？")],
    "offers more at the end": [
        *user("What is the amount of INV-1?"), *call("read_invoice", "INV-1: amount due 417 EUR.", id="INV-1"),
        *said("417 EUR. What else would you like me to do?"),
    ],
    "a rule that is kept": [
        *user("Pay INV-2, but do not pay INV-3."), *call("pay_invoice", "paid", id="INV-2"), *said("INV-2 is paid."),
    ],
    "a rule for a time": [
        *user("Do not pay INV-3 before you have read it."), *call("read_invoice", "INV-3: 90 EUR", id="INV-3"),
        *call("pay_invoice", "paid", id="INV-3"), *said("INV-3 is paid."),
    ],
    "asks back for what it needs": [
        *user("Book a table for tonight."), *said("For how many people, and at what time would you like the table?"),
        *user("For 4, at 19:30."), *call("book", "booked, reference TAB-219", people=4, time="19:30"),
        *said("Your table for 4 at 19:30 is booked; the reference is TAB-219."),
    ],
    "a failure that is tried otherwise": [
        *user("Read the report of May."), *call("read_file", "Error: no such file", path="may.md"),
        *call("list_files", "report-05.md"), *call("read_file", "May: 120 boxes.", path="report-05.md"),
        *said("The report of May names 120 boxes."),
    ],
    "knowledge of its own": [
        *user("When was the Eiffel tower opened, and what is the weather there?"),
        *call("weather", "18 °C, sun", city="Paris"), *said("It is sunny at 18 °C."),
    ],
    "two things with two values": [
        *user("Tell me the balances of Harbour and of Hill."),
        *call("read_account", "Harbour: 8,420 EUR", name="harbour"), *call("read_account", "Hill: 77 EUR", name="hill"),
        *said("The balance of the Harbour account is 8,420 EUR. The balance of the Hill account is 77 EUR."),
    ],
}  # fmt: skip
"""None of these has an error, whatever the window."""
