"""Which GangJobs are runs of a sweep."""

from dataclasses import replace

from builders.facts import gang_fact
from coschedule import GangKey
from lockstep.belief.sweeps.sweeps import Sweeps
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.facts.runs.sweep_run import SweepRun
from lockstep.facts.sweeps.sweep import Sweep

KEY = sweep_key("default", "s")
RUN = SweepRun(sweep=KEY, sweep_uid="u", number=0)


def runs_of(sweeps):
    return dict(
        sweeps.runs_of(Sweep(key=KEY, uid="u", resource_version="1", generation=1, is_deleting=False, spec=None))
    )


def test_gang_whose_owner_reference_is_taken_away_is_no_run_any_more():
    sweeps, gang = Sweeps(lambda _key: None), replace(gang_fact("s-0"), run=RUN)

    sweeps.gang_applied(gang)
    assert runs_of(sweeps) == {0: GangKey("default", "s-0")}
    sweeps.gang_applied(replace(gang, run=None))
    assert runs_of(sweeps) == {}


def test_gang_that_goes_is_no_run_any_more_whatever_its_last_version_said():
    sweeps, gang = Sweeps(lambda _key: None), replace(gang_fact("s-0"), run=RUN)

    sweeps.gang_applied(gang)
    sweeps.gang_removed(replace(gang, run=None))
    assert runs_of(sweeps) == {}
