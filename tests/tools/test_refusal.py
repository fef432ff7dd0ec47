import pytest
from langchain_core.tools import ToolException

from memory_secretary.memory.bilingual import speaking
from memory_secretary.tools.calculator import calculator_tool
from memory_secretary.tools.clock import clock_tool
from memory_secretary.tools.refusal import Refusal, told
from memory_secretary.tools.tables import table_tools
from memory_secretary.tools.workspace import workspace_tools


def test_a_refusal_is_told_in_the_language_spoken():
    no = Refusal("There is no such thing; take another.", zh="没有这个；请换一个。")
    assert told(no) == "There is no such thing; take another."
    with speaking("zh"):
        assert told(no) == "没有这个；请换一个。"
        assert told(ToolException("someone else's")) == "someone else's"


@pytest.fixture
def tools(tmp_path):
    (tmp_path / "a.csv").write_text("name,cost\nx,3\n", "utf-8")
    (tmp_path / "b.txt").write_text("plain", "utf-8")
    made = [*workspace_tools(tmp_path), *table_tools(tmp_path), calculator_tool(), clock_tool()]
    return {tool.name: tool for tool in made}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_files", {"folder": "nowhere"}), ("list_files", {"folder": "b.txt"}), ("read_file", {"path": "c.txt"}),
        ("read_file", {"path": "../c.txt"}), ("read_file", {"path": "/etc/hosts"}), ("search_files", {"text": " "}),
        ("search_files", {"text": "absent"}), ("write_file", {"path": ".", "content": ""}),
        ("write_file", {"path": "d.txt", "content": "x"}), ("read_table", {"path": "b.txt"}),
        ("read_table", {"path": "a.csv", "where": "price>1"}), ("read_table", {"path": "a.csv", "where": "cost>9"}),
        ("read_table", {"path": "a.csv", "where": "?"}), ("table_stats", {"path": "a.csv", "column": "cost"}),
        ("calculator", {"expression": "two"}), ("calculator", {"expression": "1/0"}), ("clock", {"zone": "Mars/Base"}),
    ],
)  # fmt: skip
def test_what_a_tool_has_to_say_is_english_or_chinese_as_the_run_is(tools, name, arguments):
    def han():
        return [char for char in tools[name].invoke(arguments) if "\u4e00" <= char <= "\u9fff"]

    assert han() == []
    with speaking("zh"):
        assert han()
