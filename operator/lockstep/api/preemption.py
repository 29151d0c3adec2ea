"""The sentences in a status that name the preemptor, formatted and parsed in one place for the next process."""

import re

from coschedule import GangKey
from lockstep.facts.gang.keys import gang_of_room

_GANG = r"ang (?P<namespace>[a-z0-9-]+)/(?P<name>(gang/)?[a-z0-9.-]+), of priority "
_EVICTED_FOR = re.compile(rf"[Gg]{_GANG}")
_SHRINKS_FOR = re.compile(rf"[Ss]hrinks from \d+ to \d+ members? for urgent g{_GANG}")


def preemption_clause(gang: GangKey, priority: int) -> str:
    """The clause that names the gang for which another one is evicted."""
    return f"gang {gang_name(gang)}, of priority {priority}, takes its place"


def for_urgent_gang(gang: GangKey, priority: int) -> str:
    """The end of the clause ``shrinks from 8 to 4 members …`` that names the gang for which another one shrinks."""
    return f"for urgent gang {gang_name(gang)}, of priority {priority}"


def gang_name(gang: GangKey) -> str:
    """The name of a gang in messages. Room for later pods has that of their Gang."""
    of = gang_of_room(gang)
    return str(gang) if of is None else f"room for later pods of {of}"


def named_preemptor(sentence: str) -> GangKey | None:
    """The gang for which another one is evicted, as such a sentence says; None where it names none."""
    return _named(_EVICTED_FOR, sentence)


def shrinks_for(sentence: str) -> GangKey | None:
    """The gang for which another one shrinks, as such a sentence says; None where it names none."""
    return _named(_SHRINKS_FOR, sentence)


def _named(pattern: re.Pattern[str], sentence: str) -> GangKey | None:
    found = pattern.match(sentence)
    return None if found is None else GangKey(found["namespace"], found["name"])
