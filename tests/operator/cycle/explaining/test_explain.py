"""When a status that says why a gang waits is written."""

from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from builders.facts import gang_fact, start_estimate
from builders.statuses import NO_ROOM
from coschedule import Members, Placement
from lockstep.cycle.explaining.explain import Explainer, says_the_same
from lockstep.facts.gang.status import GangStatus
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.conditions import with_condition

GANG = gang_fact("g")


def waiting(message="needs 4 nodes, 3 have them", reason="NotEnoughRoom"):
    status = with_condition(GangStatus(), GANG, "Accepted", ("True", "SpecUnderstood", "Fine."), 1.0)
    return with_condition(status, GANG, "Planned", ("False", reason, message), 1.0)


def planned(*, start=100.0, finish=200.0, size=2, message="2 members on n1."):
    status = with_condition(GangStatus(), GANG, "Planned", ("True", "StartsLater", message), 1.0)
    return replace(status, size=size, start=start, expected_finish=finish, members=(Members("n1", size),))


@pytest.mark.parametrize(
    ("before", "after", "want"),
    [
        pytest.param(GangStatus(), waiting(), False, id="nothing was said yet"),
        pytest.param(waiting(), waiting(), True, id="the same words"),
        pytest.param(waiting(), waiting("needs 4 nodes, 2 have them"), False, id="other numbers"),
        pytest.param(waiting(), waiting(reason="NoNodeFits"), False, id="another reason"),
        pytest.param(planned(), waiting(), False, id="no longer planned"),
        pytest.param(waiting(), planned(), False, id="planned now"),
        pytest.param(planned(), planned(), True, id="the same plan"),
        pytest.param(planned(), planned(start=100.6, finish=200.6), True, id="a rounding of times"),
        pytest.param(planned(), planned(start=111.0), True, id="a start later by less than a tenth of the wait"),
        pytest.param(planned(), planned(start=112.0), False, id="a start later by more than a tenth of the wait"),
        pytest.param(planned(start=112.0), planned(), False, id="an earlier start"),
        pytest.param(planned(), planned(finish=222.0), True, id="about the same finish"),
        pytest.param(planned(), planned(finish=223.0), False, id="a later finish"),
        pytest.param(planned(), replace(planned(), members=(Members("n2", 2),)), True, id="other nodes"),
        pytest.param(planned(), planned(finish=None), False, id="an unknown finish"),
        pytest.param(planned(finish=None), planned(finish=None), True, id="still an unknown finish"),
        pytest.param(planned(), planned(size=3), False, id="another size"),
        pytest.param(planned(), planned(message="in 39 s"), True, id="words that depend on when they are said"),
    ],
)
def test_says_the_same(before, after, want):
    assert says_the_same(gang_fact(status=before), after) is want


def test_time_of_a_condition_is_no_change():
    later = replace(waiting(), conditions=tuple(one._replace(last_transition=9.0) for one in waiting().conditions))

    assert says_the_same(gang_fact(status=waiting()), later)


def test_condition_for_a_new_generation_is_written():
    """A client that waits for observedGeneration must see it move."""
    newer = [one._replace(observed_generation=2) for one in waiting().conditions]

    assert not says_the_same(gang_fact(status=waiting()), replace(waiting(), conditions=tuple(newer)))


START_ESTIMATE = start_estimate(400.0, promised_start=600.0, expected_finish=500.0)


class Hearing:
    """Takes every report, and keeps what it says."""

    def __init__(self):
        self.heard = []

    def report(self, _gang, make):
        self.heard.append(make())
        return True


def for_later(*, start, promised):
    return Placement(
        gang=GANG.key,
        size=2,
        start=start,
        finish=start + 100.0,
        speedup=None,
        members=(Members("n1", 2),),
        slowest="n1",
        latest=None,
        alternative=None,
        promised=promised,
    )


@pytest.mark.parametrize(
    ("before", "promised", "want"),
    [
        pytest.param(600.0, 700.0, True, id="later than in the status"),
        pytest.param(600.0, 500.0, False, id="sooner than in the status: that can wait"),
        pytest.param(None, 600.0, True, id="the first one"),
        pytest.param(None, None, False, id="still none"),
        pytest.param(600.0, None, False, id="none any more: that can wait"),
    ],
)
def test_promise_that_is_new_or_moved_later_is_written_at_once(before, promised, want):
    hearing, plan = Hearing(), replace(START_ESTIMATE, promised_start=before)
    explainer = Explainer(hearing, Metrics(CollectorRegistry()))
    explainer.explain(GANG, for_later(start=400.0, promised=before), 10.0)
    explained = gang_fact("g", version="2", status=replace(hearing.heard[0].status, plan=plan))

    explainer.explain(explained, for_later(start=500.0, promised=promised), 11.0)

    assert (hearing.heard[1] is not None) is want


@pytest.mark.parametrize("fits_empty", [False, True])
def test_age_that_comes_to_stand_still_or_goes_on_is_written_at_once(fits_empty):
    hearing = Hearing()
    explainer = Explainer(hearing, Metrics(CollectorRegistry()))
    explainer.explain(GANG, replace(NO_ROOM, fits_empty=not fits_empty), 10.0)
    explained = gang_fact("g", version="2", status=hearing.heard[0].status)

    explainer.explain(explained, replace(NO_ROOM, fits_empty=fits_empty), 11.0)

    assert (hearing.heard[1].status.waited_seconds is None) is fits_empty


def test_age_of_which_a_plan_says_nothing_stays_as_it_is():
    hearing = Hearing()
    explainer = Explainer(hearing, Metrics(CollectorRegistry()))
    explainer.explain(GANG, replace(NO_ROOM, fits_empty=False), 10.0)
    explained = gang_fact("g", version="2", status=hearing.heard[0].status)

    explainer.explain(explained, NO_ROOM, 11.0)

    assert hearing.heard[1] is None


def test_likely_start_that_has_passed_is_written_anew_and_no_more_often_than_each_ten_seconds():
    hearing, same = Hearing(), for_later(start=500.0, promised=600.0)
    explainer = Explainer(hearing, Metrics(CollectorRegistry()))
    explainer.explain(GANG, same, 10.0)
    explained = gang_fact("g", version="2", status=replace(hearing.heard[0].status, plan=START_ESTIMATE))

    due_again = [explainer.explain(explained, same, now) for now in (11.0, 400.5)]
    explainer.explain(explained, same, 401.0)
    again = explainer.explain(explained, same, 402.0)

    assert due_again == [401.0, 401.0], "looked at again when the likely start has passed by a second"
    assert [report is not None for report in hearing.heard] == [True, False, True]
    assert again == 411.0, "whatever time it says"


def test_clock_that_was_set_back_delays_no_status():
    hearing = Hearing()
    explainer = Explainer(hearing, Metrics(CollectorRegistry()))
    explainer.explain(GANG, for_later(start=100_500.0, promised=100_600.0), 100_010.0)
    explained = gang_fact("g", version="2", status=replace(hearing.heard[0].status, plan=start_estimate(100_400.0)))

    explainer.explain(explained, for_later(start=400.0, promised=500.0), 10.0)

    assert hearing.heard[1] is not None
