"""Formats and parses the sentences in a status that name the preemptor. A later process parses them.

If the preemptor is in another namespace, a sentence has its UID in place of its name. A UID can't be guessed.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.facts.gang.keys import ANOTHERS, gang_of_room

_PRIORITY = r", of priority -?\d+"
_NAMED = rf"ang (?P<namespace>[a-z0-9-]+)/(?P<name>(gang/)?[a-z0-9.-]+){_PRIORITY}"
_BY_UID = rf"gang of another namespace{_PRIORITY} and UID (?P<uid>[A-Za-z0-9-]+)"
_SHRINKS = r"[Ss]hrinks from \d+ to \d+ members? for"
_EVICTED_FOR = (re.compile(rf"[Gg]{_NAMED}"), re.compile(rf"[Aa] {_BY_UID}"))
_SHRINKS_FOR = (re.compile(rf"{_SHRINKS} urgent g{_NAMED}"), re.compile(rf"{_SHRINKS} an? (urgent )?{_BY_UID}"))
_LESS_USED = "the group of that gang has used less of its share"


class Urgent(NamedTuple):
    """The gang for which others are evicted or shrink.

    With ``by_share``, the reason is not the gang's priority: its group holds, and has used, a smaller part of its share
    than the groups of the others. Then the gang is in another namespace than the others.
    """

    key: GangKey
    uid: str
    priority: int
    by_share: bool = False


class GangUid(NamedTuple):
    """The UID of a gang whose name must not be in a status."""

    uid: str


Preemptor = GangKey | GangUid
"""The preemptor as named in a status."""


def preemption_clause(urgent: Urgent, *, victim: GangKey) -> str:
    """The clause in the victim's status that names the gang for which the victim is evicted."""
    if urgent.key.namespace == victim.namespace:
        return f"gang {_with_priority(urgent)}, takes the place of this gang"
    why = f": {_LESS_USED}" if urgent.by_share else ""
    return f"a gang {_of_another(urgent)}, takes the place of this gang{why}"


def for_urgent_gang(urgent: Urgent, *, giver: GangKey) -> str:
    """The end of the clause ``shrinks from 8 to 4 members …``, which names the gang for which ``giver`` shrinks."""
    if urgent.key.namespace == giver.namespace:
        return f"for urgent gang {_with_priority(urgent)}"
    if urgent.by_share:
        return f"for a gang {_of_another(urgent)}, as {_LESS_USED}"
    return f"for an urgent gang {_of_another(urgent)}"


def gang_name(gang: GangKey) -> str:
    """The name of a gang in messages. If the gang only reserves room for later pods, it is named after their Gang."""
    of = gang_of_room(gang)
    if of is not None:
        return f"room for later pods of {gang_name(of)}"
    return "a gang of another namespace" if gang == ANOTHERS else str(gang)


def named_preemptor(sentence: str) -> Preemptor | None:
    """The preemptor that a sentence of :func:`preemption_clause` names; None if the sentence names none."""
    return _named(_EVICTED_FOR, sentence)


def shrinks_for(sentence: str) -> Preemptor | None:
    """The gang that a sentence of :func:`for_urgent_gang` names; None if the sentence names none."""
    return _named(_SHRINKS_FOR, sentence)


def _with_priority(urgent: Urgent) -> str:
    return f"{gang_name(urgent.key)}, of priority {urgent.priority}"


def _of_another(urgent: Urgent) -> str:
    return f"of another namespace, of priority {urgent.priority} and UID {urgent.uid}"


def _named(patterns: Iterable[re.Pattern[str]], sentence: str) -> Preemptor | None:
    for found in filter(None, (one.match(sentence) for one in patterns)):
        named = found.groupdict()
        return GangUid(named["uid"]) if "uid" in named else GangKey(named["namespace"], named["name"])
    return None
