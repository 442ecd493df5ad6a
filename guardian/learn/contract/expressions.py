"""The small language that constraints between fields are written in, for the grader alone.

Python's expression syntax over a payload's fields, nothing more: names, dots into objects, arithmetic, comparisons,
``and``/``or``/``not``, and the functions below. There is no way to reach anything but the payload.
"""

from __future__ import annotations

import ast
import ipaddress
import operator
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any


class Inapplicable(Exception):
    """The payload lacks what the expression is about, or has it in another type."""


def evaluate(expression: str, scope: Mapping[str, Any]) -> Any:
    """The value of an expression over these fields.

    Raises:
        Inapplicable: a field is missing, null or of a type that the expression cannot work with.
        ValueError: the text is no expression of this language.
    """
    try:
        return _value(_parsed(expression), scope)
    except (KeyError, TypeError, AttributeError, ZeroDivisionError, OverflowError) as error:
        raise Inapplicable(str(error)) from None


@lru_cache(maxsize=1024)
def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(expression, mode="eval").body
    except SyntaxError:
        raise ValueError(f"`{expression}` is no expression") from None


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, other: one in other,
}  # fmt: skip


def _total(items: list[Any], *names: str) -> float:
    """The sum over the items of the product of these fields."""
    result = 0.0
    for item in items:
        product = 1.0
        for name in names:
            product *= _number(item[name])
        result += product
    return round(result, 2)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    return value


def _when(text: str) -> float:
    """A date or a time as days since the epoch."""
    try:
        if len(text) == 10:
            return float(date.fromisoformat(text).toordinal())
        moment = datetime.fromisoformat(text)
        return moment.toordinal() + (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86400
    except ValueError:
        raise TypeError("not a date") from None


def _in_network(address: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network)
    except ValueError:
        raise TypeError("not an address") from None


def _count(items: list[Any]) -> int:
    if not isinstance(items, list):
        raise TypeError("not a list")
    return len(items)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "total": _total,
    "count": _count,
    "when": _when,
    "cents": lambda value: round(_number(value), 2),
    "in_network": _in_network,
}


def _value(node: ast.expr, scope: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _present(scope[name])
        case ast.Attribute(value=inner, attr=name):
            return _present(_value(inner, scope)[name])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_number(_value(left, scope)), _number(_value(right, scope)))
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(each, scope) for each in values)
        case ast.BoolOp(values=values):
            return any(_value(each, scope) for each in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, scope)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return _COMPARE[type(op)](_value(left, scope), _value(right, scope))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(each, scope) for each in args))
    raise ValueError(f"`{ast.unparse(node)}` is not part of the language of constraints")


def _present(value: Any) -> Any:
    if value is None:
        raise KeyError("null")
    return value
