"""What the demo prints of a gang between two reads."""

from lockstep_demo.changes import changes
from lockstep_demo.sight import NOT_YET, Condition, GangSight, PodCounts, Sight


def gang(*, planned=NOT_YET, complete=NOT_YET, size=None, start=None, nodes=(), pods=(0, 0, 0)):
    bound, running, finished = pods
    return GangSight(
        name="heat",
        minimum=1,
        maximum=4,
        size=size,
        nodes=nodes,
        start=start,
        planned=planned,
        complete=complete,
        pods=PodCounts(bound=bound, running=running, finished=finished),
    )


def planned(status="True", reason="StartsLater", message="2 members on n01, n02."):
    return Condition(status=status, reason=reason, message=message)


def printed(before, after):
    return [line for _, line in changes(Sight(gangs=before, occupants={}), Sight(gangs=(after,), occupants={}))]


def test_gang_that_has_no_status_yet_is_no_change():
    assert printed((), gang()) == []


def test_plan_is_printed_once_while_its_start_moves_by_a_rounding():
    first = gang(planned=planned(), size=2, start=100.0, nodes=("n01", "n02"))
    rounded = gang(planned=planned(message="Other words."), size=2, start=101.0, nodes=("n01", "n02"))
    moved = gang(planned=planned(message="Later."), size=2, start=104.0, nodes=("n01", "n02"))

    assert printed((), first) == ["2 members on n01, n02."]
    assert printed((first,), rounded) == []
    assert printed((first,), moved) == ["Later."]


def test_refusal_is_printed_once_while_its_numbers_move():
    refused = gang(planned=planned("False", "NotEnoughRoom", "It needs 4 members, and 2 fit."))
    less = gang(planned=planned("False", "WindowTooShort", "It needs 4 members, and 3 fit."))

    assert printed((), refused) == ["Cannot be placed. It needs 4 members, and 2 fit."]
    assert printed((refused,), less) == []
    assert printed((less,), gang(planned=planned(), size=2)) == ["2 members on n01, n02."]


def test_pods_are_printed_when_all_have_got_so_far():
    plan = {"planned": planned(), "size": 2, "start": 100.0}
    none, one, bound, running = (gang(**plan, pods=pods) for pods in [(0, 0, 0), (1, 0, 0), (2, 1, 0), (2, 2, 0)])

    assert printed((none,), one) == []
    assert printed((one,), bound) == ["2 of 2 pods are bound."]
    assert printed((bound,), running) == ["2 of 2 pods run."]
    assert printed((none,), running) == ["2 of 2 pods are bound and run."]
