"""Events about gangs for which other gangs shrink."""

from lockstep.api.preemption import shrinks_for
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import seen_from
from lockstep.report.status.events import preempted_for_gang
from lockstep.report.status.writer import StatusWriter
from lockstep.report.text.size_sentences import from_to


def post_shrink(state: State, writer: StatusWriter, giver: GangFact, size: int, why: str) -> None:
    """Post an event to the gang for which ``giver`` shrinks to ``size`` members, if ``why`` names such a gang."""
    key = state.giving_way.uids.key(shrinks_for(why))
    preemptor = None if key is None else state.gangs.get(key)
    if preemptor is not None:
        shrinks = from_to(giver.status.size or 0, size)
        seen = seen_from(preemptor.key.namespace, giver.key)
        writer.post(preemptor, preempted_for_gang(seen, gives_way=shrinks))
