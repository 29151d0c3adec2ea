"""How a status says for whom a gang gave way: spelled and read in one place, as the next process has it from there."""

import re

from coschedule import GangKey

_NAMED = re.compile(r"[Gg]ang (?P<namespace>[a-z0-9-]+)/(?P<name>[a-z0-9.-]+), of priority ")


def spelled_preemption(gang: GangKey, priority: int) -> str:
    """The clause that names the gang for which another one is evicted."""
    return f"gang {spelled_gang(gang)}, of priority {priority}, takes its place"


def spelled_gang(gang: GangKey) -> str:
    """A gang as people name it."""
    return str(gang)


def named_preemptor(sentence: str) -> GangKey | None:
    """The gang that such a sentence names; None where it names none."""
    found = _NAMED.match(sentence)
    return None if found is None else GangKey(found["namespace"], found["name"])
