"""What has become of a member follows from the last state of its pod, whatever was seen of it before.

All orders of all that can happen to a pod are enumerated. For each order all choices of the states that a watch shows,
and all pairs of things that happen within one second. What really happens is known here, so what is right is known too.
"""

from functools import cache
from itertools import chain, combinations, permutations, product

from builders.facts import gang_fact, reservation
from builders.served import owned_by, pod
from lockstep.act.requests.progress import progress_of
from lockstep.api.pods.pod import parse_pod
from lockstep.api.quantities import rfc3339
from lockstep.belief.state import State
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.reasons import Reason
from searches import sample

BEGIN, GRACE = 1_800_000_000, 30
HELD = reservation("g", members=(("n1", 1),))
ENDS, SHOWS, SAYS, ASKED, EVICTED, GONE = "ends", "shows", "says", "is deleted", "is evicted", "is gone"
"""The program ends; the pod shows that its container has, and later that all of it has; ...; the pod is gone."""
AFTER = {SHOWS: ENDS, SAYS: ENDS, GONE: ASKED}
GOES_ON, SUCCEEDED, FAILED, LOST = "goes on", "has succeeded", "has failed", "is lost"


def is_possible(order):
    """Whether nothing comes before what it needs, and nothing after the pod is gone."""
    place = {one: index for index, one in enumerate(order)}
    follows = all(needed in place and place[needed] < place[one] for one, needed in AFTER.items() if one in place)
    shows_first = not {SHOWS, SAYS} <= place.keys() or place[SHOWS] < place[SAYS]
    return follows and shows_first and place.get(GONE, len(order) - 1) == len(order) - 1


def orders():
    """List what can happen to a pod that runs, in each order in which it can."""
    wholes = chain.from_iterable(
        combinations([ENDS, SHOWS, SAYS, ASKED, EVICTED, GONE], count) for count in range(1, 7)
    )
    return [order for some in wholes for order in permutations(some) if is_possible(order)]


def timings(order):
    """List when all of it may happen: each in a second of its own, or two within the same."""
    yield {one: index for index, one in enumerate(order)}
    for together in range(1, len(order)):
        yield {one: index - (index >= together) for index, one in enumerate(order)}


def right(happened, when, code):
    """Return what has become of a member of whose pod that was seen to have happened."""
    asked = min((when[one] for one in (ASKED, EVICTED) if one in happened), default=None)
    is_over = SAYS in happened or (SHOWS in happened and not code and not {ASKED, GONE}.isdisjoint(happened))
    if is_over:
        ended_by_itself = asked is None or when[ENDS] < asked
        return (FAILED if code else SUCCEEDED) if ended_by_itself else LOST
    return GOES_ON if {ASKED, GONE}.isdisjoint(happened) else LOST


def at(second):
    return rfc3339(BEGIN + second)


def shown(happened, when, code):
    """Describe the pod as the API server has it by then."""
    has_ended, main = SAYS in happened, {"running": {"startedAt": at(-1)}}
    if has_ended or SHOWS in happened:
        main = {"terminated": {"exitCode": code, "startedAt": at(-1), "finishedAt": at(when[ENDS])}}
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}
    conditions = [{**condition, "lastTransitionTime": at(when[EVICTED])}] if EVICTED in happened else []
    deletion = {}
    if ASKED in happened:
        deletion = {"deletionTimestamp": at(when[ASKED] + GRACE), "deletionGracePeriodSeconds": GRACE}
    ended_phase = "Failed" if code else "Succeeded"
    return pod(
        "g-1-0",
        node="n1",
        phase=ended_phase if has_ended else "Running",
        status={"containerStatuses": [{"name": "main", "state": main}], "conditions": conditions},
        **owned_by("g"),
        **deletion,
    )


@cache
def fact(happened, when, code):
    """Parse the pod as it is then."""
    return parse_pod(shown(happened, dict(when), code))


def found(order, when, code, seen):
    """Return what the operator makes of it that sees the pod when so much of all has happened."""
    state = State(lambda: None)
    state.assumptions.hold(HELD)
    for count in seen:
        happened = order[:count]
        if GONE in happened:
            state.remove_pod(PodKey("default", "g-1-0"), "uid-of-g-1-0")
        else:
            state.apply_pod(fact(happened, tuple(when.items()), code))
    counts = progress_of(state, gang_fact("g"), HELD)
    if counts.disrupted is not None:
        assert counts.disrupted.reason in (Reason.POD_LOST, Reason.POD_REJECTED)
        return LOST
    if counts.losses:
        return FAILED
    return SUCCEEDED if counts.has_succeeded else GOES_ON


def sightings(order):
    """List which states are seen: each choice, but always the first and the last."""
    between = range(1, len(order))
    chosen = chain.from_iterable(combinations(between, count) for count in range(len(order)))
    return [tuple(dict.fromkeys((0, *some, len(order)))) for some in chosen]


def test_nothing_counts_but_the_last_state_that_was_seen(pytestconfig):
    cases = [(order, when, seen) for order in orders() for when in timings(order) for seen in sightings(order)]
    assert len(cases) > 5_000
    for (order, when, seen), code in product(sample(pytestconfig, "states of a pod", cases), (0, 1)):
        *_, last = (count for count in seen if GONE not in order[:count])
        known = {*order[:last], *([GONE] if GONE in order else [])}
        assert found(order, when, code, seen) == right(known, when, code), (order, when, seen, code)
