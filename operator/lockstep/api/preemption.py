"""The sentence in a status that names the preemptor, formatted and parsed in one place for the next process."""

import re

from coschedule import GangKey

_NAMED = re.compile(r"[Gg]ang (?P<namespace>[a-z0-9-]+)/(?P<name>[a-z0-9.-]+), of priority ")


def preemption_clause(gang: GangKey, priority: int) -> str:
    """The clause that names the gang for which another one is evicted."""
    return f"gang {gang_name(gang)}, of priority {priority}, takes its place"


def gang_name(gang: GangKey) -> str:
    """The name of a gang in messages."""
    return str(gang)


def named_preemptor(sentence: str) -> GangKey | None:
    """The gang that such a sentence names; None where it names none."""
    found = _NAMED.match(sentence)
    return None if found is None else GangKey(found["namespace"], found["name"])
