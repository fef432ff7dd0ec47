"""The unit that a record writes after a number: a figure without one is given another by a small model."""

from __future__ import annotations

import re

_UNIT = re.compile(
    r"\s?(?:"
    r"(?:milli|centi|kilo)?(?:lit(?:er|re)s?|met(?:er|re)s?|grams?)|(?:metric )?(?:tonnes?|tons?)|miles?|feet|inches|"
    r"pounds?|ounces?|gallons?|seconds?|minutes?|hours?|days?|weeks?|euros?|dollars?|cents|yuan|yen|francs?|"
    r"degrees(?: Celsius| Fahrenheit)?|[kcm]?m[²³]?|[mkt]?g|ml|cl|l|kWh|MWh|kW|MW|kB|MB|GB|km/h|EUR|USD|GBP|CNY|RMB"
    r")(?![\w/-])|\s?(?:°C|°F|℃|℉)"
    r"|\s?(?:毫升|立方米|平方米|升|千克|公斤|毫克|克|吨|公里|千米|厘米|毫米|米|小时|分钟|秒|天|周|美元|欧元|元|摄氏度|度|"
    r"千瓦时|千瓦|兆瓦|人次|件|箱|桶|台|份|辆|户|册|张|盒|瓶|袋|托)"
)
"""Common measures; words that may be anything else (``in``, ``个``, ``次``) are none."""


def unit_after(text: str, position: int) -> str:
    """The unit that stands at ``position``, with a blank before it as it stands there; empty where none does."""
    match = _UNIT.match(text, position)
    return match.group() if match else ""
