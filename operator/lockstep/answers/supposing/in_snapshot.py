"""Makes a supposed Gang and its pods into a gang for the planner, without a cluster."""

from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.reading.gang_called import gang_called
from lockstep.answers.supposing.supposed_gangs import SupposedGang, as_created
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.pod_gang import parse_pod_gang
from lockstep.api.pool import ALL_NODES
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.podgangs.composing import composed
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import object_name


def suppose_alone(gang: SupposedGang, now: float) -> AcceptedGang:
    """The gang that the planner gets, if the Gang has no other pods.

    Raises ``AnswerError`` if it would not be planned.
    """
    fact, name = _fact(gang, now), gang_called(gang.key)
    if not isinstance(fact, AcceptedGang):
        raise AnswerError(f"{name} would be refused: {fact.refusal.message}")
    if fact.spec.awaits_pods:
        raise AnswerError(f"{name} would not be planned yet: {fact.spec.awaits_pods}")
    return fact


def _fact(gang: SupposedGang, now: float) -> GangFact:
    manifest, group = _manifest(gang, now), PodGroup()
    for pod in gang.pods:
        group.enter(pod)
    try:
        fact = parse_pod_gang(manifest)
        sized = None if gang.size is None or fact.made_for is None else gang.size.pods
        return composed(fact, group, ALL_NODES, sized=sized)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        hint = "kubectl apply --dry-run=server says which field is wrong"
        raise AnswerError(f"{gang_called(gang.key)} is invalid: {describe(error)}; {hint}.") from error


def _manifest(gang: SupposedGang, now: float) -> Manifest:
    if gang.manifest is not None:
        return {**gang.manifest, "metadata": {**gang.manifest["metadata"], **as_created(now)}, "status": None}
    if gang.made is None:
        raise AnswerError(f"{gang.named_by} names the Gang {object_name(gang.key)}, which is not in the file.")
    return gang.made
