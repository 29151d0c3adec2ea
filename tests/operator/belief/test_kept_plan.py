"""What a gang was told before this process planned it."""

import pytest

from builders.facts import gang_fact, gang_spec
from coschedule import Constraints, Load, Members, Role, Sizes
from lockstep.belief.kept_plan import kept_plan
from lockstep.facts.gang import ConditionFact, GangStatus
from lockstep.facts.outlook import Outlook, PlanChange
from lockstep.facts.past_runs import Learned

START = 1_800_000_000.0
OUTLOOK = Outlook(
    likely_start=START,
    late_start=None,
    promised_start=START + 60,
    expected_finish=START + 100,
    size=1,
    kinds=(),
    position=1,
    waits_for="",
    changed_at=START,
    changed_because=PlanChange.FIRST_PLANNED,
)
ROLE = Role(
    name="", sizes=Sizes(minimum=1, maximum=1), request=(1,), constraints=Constraints(), load=Load.EQUAL, pieces=None
)


@pytest.mark.parametrize(
    ("factor", "learned", "want"),
    [
        pytest.param(None, None, 100, id="as stated, then as now"),
        pytest.param("1.5", Learned(thousandths=1500, runs=9), 100, id="as learnt, then as now"),
        pytest.param("2", Learned(thousandths=1500, runs=9), 75, id="runs have become shorter"),
        pytest.param(None, Learned(thousandths=1500, runs=3), 150, id="learnt since"),
        pytest.param("2", None, 50, id="forgotten since"),
    ],
)
def test_gang_keeps_its_place_for_as_long_as_its_run_is_known_to_take_now(factor, learned, want):
    status = GangStatus(
        conditions=(ConditionFact("Planned", "True", "StartsLater", "", 1, START),),
        start=START,
        expected_finish=START + 100,
        members=(Members("n1", 1),),
        run_time_factor=factor,
        plan=OUTLOOK,
    )

    kept = kept_plan(gang_fact("g", spec=gang_spec(size=1), status=status), [ROLE], {"n1": 0}, learned)

    assert (kept.start, kept.finish) == (START, START + want)
