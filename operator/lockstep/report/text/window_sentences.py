"""Describes why a gang finds no nodes that are open together for as long as it runs."""

from collections.abc import Iterator

from coschedule import WindowTooShort
from lockstep.report.text.sentences import duration, n_nodes


def window_sentence(refusal: WindowTooShort) -> str:
    """``12 nodes pass its constraints: 1 of them is open to gangs for 9 h at most``, with only the cases that occur."""
    passing = "1 node passes" if refusal.passing == 1 else f"{n_nodes(refusal.passing)} pass"
    return f"{passing} its constraints: {', '.join(_why_too_short(refusal))}"


def _why_too_short(refusal: WindowTooShort) -> Iterator[str]:
    if refusal.never_open:
        yield f"{_are(refusal.never_open, refusal)} never open to gangs"
    if refusal.closing and refusal.longest_seconds is not None:
        yield f"{_are(refusal.closing, refusal)} open to gangs for {exact_duration(refusal.longest_seconds)} at most"
    if refusal.owners_expected:
        owners = "its owner" if refusal.passing == 1 else f"owners of {refusal.owners_expected} of them"
        yield f"{owners} may come back, and the gang may not be interrupted"
    if refusal.tolerated_seconds is not None:
        limit = f"{exact_duration(refusal.tolerated_seconds)}, the longest time that they tolerate it"
        yield f"a taint on {_some(refusal.tolerated, refusal)} evicts members after {limit}"


def _are(count: int, refusal: WindowTooShort) -> str:
    return f"{_some(count, refusal)} {'is' if count == 1 else 'are'}"


def _some(count: int, refusal: WindowTooShort) -> str:
    return "it" if refusal.passing == 1 else f"{count} of them"


def exact_duration(seconds: float) -> str:
    """A duration for users. Below a minute it has up to three decimals, because such durations are compared."""
    if seconds >= 60:
        return duration(seconds)
    text = f"{seconds:.3f}".rstrip("0").rstrip(".")
    return "less than 0.001 s" if text == "0" else f"{text} s"
