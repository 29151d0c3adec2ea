"""How pages write numbers; times are in seconds."""

from collections.abc import Callable, Mapping
from typing import Any

from lockstep.report.text.sentences import duration

WORDS = {
    2: "two",
    3: "three",
    4: "four",
    5: "five",
    6: "six",
    7: "seven",
    8: "eight",
    10: "ten",
    15: "15",
    20: "twenty",
}
ORDINALS = {3: "third"}
SPANS = {60: "a minute", 3600: "an hour", 7 * 86_400: "a week"}
HALF_AN_HOUR = 1800
PARTS = {1 / 2: "half", 1 / 3: "a third", 1 / 4: "a quarter", 1 / 10: "a tenth", 9 / 10: "nine tenths"}

SPELLINGS: Mapping[str, Callable[[Any], str]] = {
    "number": "{:,g}".format,
    "digits": str,
    "words": lambda value: WORDS[value],
    "ordinal": lambda value: ORDINALS[value],
    "part": lambda value: PARTS[value],
    "percent": lambda value: f"{100 * value:g} %",
    "percent more": lambda value: f"{100 * (value - 1):.6g} %",
    "cores": lambda value: f"{value / 1000:g}",
    "duration": duration,
    "span": lambda value: SPANS[value],
    "plain seconds": "{:g} s".format,
    "minutes": lambda value: "half an hour" if value == HALF_AN_HOUR else f"{WORDS[value / 60]} minutes",
    "millions": lambda value: f"{value / 1e6:g}",
    "milliseconds": lambda value: f"{1000 * value:g} ms",
    "KiB": lambda value: f"{value / 1024:g} KiB",
}
