"""The words of the example tasks: what is asked, what is demanded beside it, what a right answer looks like."""

from __future__ import annotations

from enum import StrEnum

from memory_secretary.graph.evaluation.example_truth import Lang

MAX_WORDS = 40
"""Length that a short English answer may have."""
MAX_CHARACTERS = 80
"""Length that a short Chinese answer may have."""


class Kind(StrEnum):
    """What is asked about a measure."""

    TOTAL_HIGHEST = "total_highest"
    MONTHS_ABOVE = "months_above"
    SPREAD = "spread"
    TOTAL_LOWEST = "total_lowest"


class Constraint(StrEnum):
    """What the goal demands of the answer beside being right."""

    ONE_SENTENCE = "one_sentence"
    NO_FILES = "no_files"
    SHORT = "short"


EXTREMES = {
    Kind.TOTAL_HIGHEST: r"\b(?:highest|most|peak|largest|maximum)\b|最高|最多|最大",
    Kind.TOTAL_LOWEST: r"\b(?:lowest|least|fewest|smallest|minimum)\b|最低|最少|最小",
}

DEMANDS: dict[Lang, dict[Constraint, str]] = {
    "en": {
        Constraint.ONE_SENTENCE: "Answer in one sentence.",
        Constraint.NO_FILES: "Do not write or change any file.",
        Constraint.SHORT: f"Keep the answer within {MAX_WORDS} words.",
    },
    "zh": {
        Constraint.ONE_SENTENCE: "请用一句话回答。",
        Constraint.NO_FILES: "不要新建或改动任何文件。",
        Constraint.SHORT: f"回答不要超过{MAX_CHARACTERS}个字。",
    },
}

REQUESTS: dict[Lang, dict[Kind, tuple[str, ...]]] = {
    "en": {
        Kind.TOTAL_HIGHEST: (
            "Read the twelve monthly reports for 2025 in {folder} and note the figure for {measure} at "
            "the {depot} depot in each. What was the total for the year, and which month had the highest figure?",
            "I need one figure from the {depot} depot's monthly reports of 2025 (folder {folder}): {measure}. "
            "Add up all twelve months and tell me the total and the month with the highest figure.",
        ),
        Kind.TOTAL_LOWEST: (
            "Go through all twelve monthly reports of 2025 in {folder}. What is the total of {measure} at the {depot} "
            "depot over the whole year, and in which month was the figure lowest?",
            "From the monthly reports in {folder}, January to December 2025, take the figure for {measure} at {depot}. "
            "Give me the total for the year and the month with the lowest figure.",
        ),
        Kind.MONTHS_ABOVE: (
            "The note {note} sets a monthly limit for {measure} at the {depot} depot. Read all twelve monthly "
            "reports of 2025 in {folder}: in how many months was the figure above that limit?",
            "In how many months of 2025 was the figure for {measure} at the {depot} depot above the limit given "
            "in {note}? There is one report for each month in {folder}; check all twelve.",
        ),
        Kind.SPREAD: (
            "Look through the twelve monthly reports of 2025 in {folder} and find the highest and the lowest monthly "
            "figure for {measure} at the {depot} depot. How large is the difference between the two?",
            "Take the figure for {measure} at the {depot} depot from each monthly report of 2025 in {folder}. "
            "What is the difference between the highest and the lowest month?",
        ),
    },
    "zh": {
        Kind.TOTAL_HIGHEST: (
            "请把{folder}文件夹里2025年十二个月的月报都看一遍，记下{depot}仓每个月的{measure}，"
            "告诉我全年一共是多少，哪个月最高。",
            "我要一个数：{depot}仓2025年的{measure}。月报在{folder}，一个月一份，请把十二个月加起来，"
            "告诉我全年合计和最高的月份。",
        ),
        Kind.TOTAL_LOWEST: (
            "{folder}里有{depot}仓2025年每个月的月报，请逐份看完：全年的{measure}合计是多少，最低的是哪个月？",
            "请根据{folder}里1月到12月的月报，算出{depot}仓2025年{measure}的全年合计，并说出哪个月最低。",
        ),
        Kind.MONTHS_ABOVE: (
            "{note}里给{depot}仓定了{measure}的每月控制线。请把{folder}里2025年的十二份月报都看完，"
            "全年有几个月超过了这条线？",
            "{depot}仓2025年有几个月的{measure}超过了{note}里定的控制线？月报在{folder}，一个月一份，十二份都要查。",
        ),
        Kind.SPREAD: (
            "请看完{folder}里2025年的十二份月报，找出{depot}仓{measure}最高和最低的月份，两个月相差多少？",
            "{depot}仓每个月的{measure}都写在{folder}的月报里，2025年最高的一个月比最低的一个月多多少？",
        ),
    },
}

ANSWERS: dict[Lang, dict[Kind, str]] = {
    "en": {
        Kind.TOTAL_HIGHEST: "At {depot}, the 2025 total for {measure} was {value}, and the highest month was {month}.",
        Kind.TOTAL_LOWEST: "At {depot}, the 2025 total for {measure} was {value}, and the lowest month was {month}.",
        Kind.MONTHS_ABOVE: "At {depot}, the figure for {measure} was above the limit in {value} months of 2025.",
        Kind.SPREAD: "At {depot}, the highest and the lowest month of 2025 for {measure} differ by {value}.",
    },
    "zh": {
        Kind.TOTAL_HIGHEST: "{depot}仓2025年{measure}全年合计{value}，最高的是{month}。",
        Kind.TOTAL_LOWEST: "{depot}仓2025年{measure}全年合计{value}，最低的是{month}。",
        Kind.MONTHS_ABOVE: "{depot}仓2025年有{value}个月的{measure}超过控制线。",
        Kind.SPREAD: "{depot}仓2025年{measure}最高月和最低月相差{value}。",
    },
}
