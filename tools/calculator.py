"""Exact arithmetic for models that cannot add: decimal, bounded, and no code is run."""

from __future__ import annotations

import ast
import operator
import re
import unicodedata
from collections.abc import Callable, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal, DecimalException, Inexact, localcontext

from langchain_core.tools import BaseTool, StructuredTool

from memory_secretary.tools.effects import Effect, mark
from memory_secretary.tools.refusal import Refusal, told

MAX_LENGTH = 4_000
"""Longest expression, in characters."""
MAX_EXPONENT = 1_000
"""Largest exponent of a power, in either direction."""
_CONTEXT = Context(prec=60, Emax=9_999, Emin=-9_999, rounding=ROUND_HALF_UP)
_SHOWN = Context(prec=15, Emax=9_999, Emin=-9_999, rounding=ROUND_HALF_UP)
"""Digits shown of a result that could not be exact, such as 1 / 3."""

_SIGNS = str.maketrans(
    {"×": "*", "÷": "/", "−": "-", "–": "-", "^": "**", "²": "**2", "³": "**3", "，": ", ", "、": ", ", "\n": " "}
)
_THOUSANDS = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\d)")
_CALL = re.compile(r"[A-Za-z]\w*\s*\(|\[")
_HELP = (
    "write only numbers, + - * / // % ** ( ) and sum, mean, min, max, round, abs",
    "只能写数字、+ - * / // % ** ( ) 以及 sum、mean、min、max、round、abs",
)


class CalculatorError(Refusal):
    """The expression cannot be worked out; the sentence says how to write it."""


def calculator_tool() -> BaseTool:
    """The tool ``calculator(expression)``."""

    def calculator(expression: str) -> str:
        """Work out arithmetic exactly, e.g. (1,284 + 916) / 2 or max(3, 5) - min(3, 5)."""
        return calculate(expression)

    return mark(StructuredTool.from_function(calculator, handle_tool_error=told), Effect.READ_ONLY)


def calculate(expression: str) -> str:
    """The value of an arithmetic expression as plain digits.

    Values are decimal (0.1 + 0.2 is 0.3), halves are rounded up as people do, a comparison gives 1 or 0, ``^`` is a
    power and ``1,284`` one number. What cannot be exact is shown with 15 digits.

    Raises:
        CalculatorError: not arithmetic, ambiguous, too large, or a division by zero.
    """
    text = _plain(expression)
    try:
        tree = ast.parse(text, mode="eval").body
        with localcontext(_CONTEXT) as context:
            return _shown(_value(tree, text), exact=not context.flags[Inexact])
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _refusal(expression, *_HELP) from error
    except ZeroDivisionError as error:  # decimal's own is one too
        raise _refusal(expression, "it divides by zero, so there is no value", "除数为零，没有结果") from error
    except DecimalException as error:
        raise _refusal(expression, "its value is too large or is no number", "结果过大或不是数") from error


def _refusal(expression: str, cure: str, zh: str) -> CalculatorError:
    shown = expression if len(expression) <= 80 else f"{expression[:80]}…"
    return CalculatorError(f'"{shown}" cannot be worked out: {cure}.', zh=f"无法计算“{shown}”：{zh}。")


def _plain(expression: str) -> str:
    """ASCII arithmetic without thousands separators."""
    if len(expression) > MAX_LENGTH:
        cure = f"it is longer than {MAX_LENGTH} characters; work it out in parts"
        raise _refusal(expression, cure, f"它超过 {MAX_LENGTH} 个字符；请分几步计算")
    text = expression.translate(_SIGNS)
    if any(unicodedata.category(char) == "No" for char in text):  # ⁴ or ① would silently become a digit
        raise _refusal(expression, *_HELP)
    text = unicodedata.normalize("NFKC", text).strip().rstrip("=").strip()
    return _joined(text)


def _joined(text: str) -> str:
    """``1,284`` as 1284, unless the comma may as well part two arguments."""
    number = _THOUSANDS.search(text)
    if number and _CALL.search(text) and not re.search(r",\s", text):
        whole, parted = number[0].replace(",", ""), number[0].replace(",", ", ")
        cure = f"{number[0]} may be one number or several: write {whole} or {parted}"
        raise _refusal(text, cure, f"{number[0]} 可能是一个数，也可能是几个数：请写成 {whole} 或 {parted}")
    return _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)


def _shown(value: Decimal, *, exact: bool) -> str:
    value = value if exact else _SHOWN.plus(value)
    if not value:
        return "0"
    if abs(value.adjusted()) > 30:
        return str(value.normalize(_CONTEXT))
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _value(node: ast.expr, text: str) -> Decimal:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return +Decimal(ast.get_source_segment(text, node) or str(node.value))  # + applies the bounds
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, text)
        case ast.UnaryOp(op=ast.UAdd()):
            return _value(node.operand, text)
        case ast.BinOp():
            return _chain(node, text)
        case ast.Compare():
            return _comparison(node, text)
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_arguments(node.args, text))
    msg = f"{type(node).__name__} is no arithmetic"
    raise ValueError(msg)


def _chain(node: ast.BinOp, text: str) -> Decimal:
    """A sum of many values nests to the left: walked in a loop, so that its length does not matter."""
    spine = [node]
    while isinstance(spine[-1].left, ast.BinOp):
        spine.append(spine[-1].left)
    value = _value(spine[-1].left, text)
    for link in reversed(spine):
        if type(link.op) not in _OPERATORS:
            msg = f"{type(link.op).__name__} is no arithmetic"
            raise ValueError(msg)
        value = _OPERATORS[type(link.op)](value, _value(link.right, text))
    return value


def _comparison(node: ast.Compare, text: str) -> Decimal:
    values = [_value(side, text) for side in (node.left, *node.comparators)]
    pairs = zip(node.ops, values, values[1:], strict=False)
    return Decimal(all(_COMPARISONS[type(op)](left, right) for op, left, right in pairs))


def _arguments(nodes: Sequence[ast.expr], text: str) -> list[Decimal]:
    inner = nodes[0].elts if len(nodes) == 1 and isinstance(nodes[0], ast.List | ast.Tuple) else nodes
    values = [_value(node, text) for node in inner]
    if not values:
        msg = "no values"
        raise ValueError(msg)
    return values


def _floor(left: Decimal, right: Decimal) -> Decimal:
    quotient, rest = divmod(left, right)
    return quotient - 1 if rest and (rest < 0) != (right < 0) else quotient


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if abs(exponent) > MAX_EXPONENT:
        msg = f"exponents beyond {MAX_EXPONENT} are refused"
        raise ValueError(msg)
    if not base and exponent < 0:
        msg = "a negative power of zero"
        raise ZeroDivisionError(msg)
    return Decimal(1) if not base and not exponent else base**exponent


def _rounded(values: list[Decimal]) -> Decimal:
    value, places = (*values, Decimal(0))[:2]
    if len(values) > 2 or places != places.to_integral_value(ROUND_FLOOR) or abs(places) > 30:
        msg = "round takes a value and a number of places"
        raise ValueError(msg)
    return value.quantize(Decimal(1).scaleb(-int(places)), rounding=ROUND_HALF_UP)


def _absolute(values: list[Decimal]) -> Decimal:
    (value,) = values
    return abs(value)


_OPERATORS: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: _floor,
    ast.Mod: lambda left, right: left - right * _floor(left, right),
    ast.Pow: _power,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Decimal, Decimal], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[[list[Decimal]], Decimal]] = {
    "sum": lambda values: sum(values, Decimal(0)),
    "mean": lambda values: sum(values, Decimal(0)) / len(values),
    "min": min,
    "max": max,
    "abs": _absolute,
    "round": _rounded,
}
