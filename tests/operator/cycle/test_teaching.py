"""Which runs teach what, beside what their status says of the plan that they had."""

import pytest

from builders.facts import DEFAULT, gang_fact, gang_spec, reservation
from lockstep.belief.past_runs import PastRuns
from lockstep.cycle.teaching import teach
from lockstep.facts.gang import GangStatus

HEAT = "0" * 32
START = 1_800_000_000.0


def taught(*, run_time=300.0, finish=START + 200, attempt=1, factor=None, template=HEAT):
    past = PastRuns(lambda: None)
    gang = gang_fact("g", spec=gang_spec(run_template=template), status=GangStatus(run_time_factor=factor))
    teach(past, gang, reservation(start=START, finish=finish, attempt=attempt), run_time)
    return past.runs


@pytest.mark.parametrize(
    ("more", "want"),
    [
        pytest.param({}, 1500, id="as it was stated"),
        pytest.param({"factor": "2"}, 3000, id="without what was learnt before"),
        pytest.param({"factor": "0.5"}, 750, id="also where runs were shorter"),
        pytest.param({"factor": "0.000"}, 1500, id="factor that nobody has written here"),
        pytest.param({"run_time": -5.0}, 1, id="clock that was set back"),
        pytest.param({"run_time": 1e12}, 1_000_000, id="run without end"),
        pytest.param({"run_time": 10.0, "finish": START + 10}, 1000, id="shortest that counts"),
    ],
)
def test_run_teaches_how_many_times_as_long_it_took_as_stated(more, want):
    assert taught(**more) == {DEFAULT: {HEAT: (want,)}}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"finish": None}, id="unknown run time"),
        pytest.param({"template": ""}, id="no template"),
        pytest.param({"attempt": 2}, id="second attempt"),
        pytest.param({"finish": START + 9}, id="too short to be timed"),
        pytest.param({"finish": START + 90, "factor": "10"}, id="stated too short to be timed"),
        pytest.param({"finish": START - 1}, id="expected before it began"),
        pytest.param({"factor": "9" * 32}, id="factor out of this world"),
    ],
)
def test_run_teaches_nothing(more):
    assert taught(**more) == {}
