"""The mechanisms of Shum, chapter 5: how applications compete for workstations [C]."""

from lockstep.papers.mechanisms.mechanism import Mechanism, MechanismState

COMPETITION = (
    Mechanism(
        place="5.2",
        what="Applications share space, and their numbers of workstations change while they run.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/resizing/resize.py`, `operator/lockstep/cycle/resizing/size_changes.py`, "
            "`spec.elastic`."
        ),
    ),
    Mechanism(
        place="5.4",
        what="A cluster scheduler keeps the state of all workstations and applications.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/belief/state.py`.",
    ),
    Mechanism(
        place="5.4",
        what="A bidder negotiates for each application.",
        state=MechanismState.ABSENT,
        where="The planner reads what each gang states and what its runs show. So nothing is left to negotiate.",
    ),
    Mechanism(
        place="5.5",
        what="Loads are measured as means of five minutes and of hours.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/agent/measuring/window.py`, `operator/lockstep/agent/history/history.py`.",
    ),
    Mechanism(
        place="5.5",
        what="Parallel work and other work on a workstation are counted apart.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/agent/measuring/cgroups.py`, `status.planned.memberUids`.",
    ),
    Mechanism(
        place="5.5.1",
        what="Habits are usual loads of hours, on weekdays and weekends; older days weigh less.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule_forecast/__init__.py`, `operator/lockstep/agent/history/forecast.py`, "
            "`operator/lockstep/agent/history/hours.py`."
        ),
    ),
    Mechanism(
        place="5.5.1",
        what="Coming hours are forecast from the last hour and from habits.",
        state=MechanismState.WORKS,
        where="`engine/coschedule_forecast/owners.py`, `spec.forecast`.",
    ),
    Mechanism(
        place="5.5.1",
        what="The newest five minutes correct the forecast of the present hour.",
        state=MechanismState.WORKS,
        where="`engine/coschedule_forecast/owners.py`, `spec.forecast`.",
    ),
    Mechanism(
        place="5.5.1",
        what="A workstation is available while no load forecast exceeds a limit.",
        state=MechanismState.IN_PART,
        where=(
            "`engine/coschedule/queue/owners/safer.py` avoids hours in which owners are likely to come back. Missing: "
            "forecasts of load; plans use the measured one."
        ),
    ),
    Mechanism(
        place="5.5.1",
        what="Workstations are ranked by the mean of their forecasts.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/shum/forecast.py`, by `lockstep solve`. Plans rank nodes by the measured load."
        ),
    ),
    Mechanism(
        place="5.5.1",
        what="Memory and communication are forecast like load.",
        state=MechanismState.ABSENT,
        where="Memory counts by requests in Kubernetes, and no agent measures the network.",
    ),
    Mechanism(
        place="5.5.1",
        what="A contract says how often a day a user may be disturbed.",
        state=MechanismState.ABSENT,
        where="No field limits that. `spec.onReturn` says what becomes of members, however often the owner comes.",
    ),
    Mechanism(
        place="5.6",
        what="Grains merge or migrate so that fragments of free workstations are used.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/resizing/giving_way.py`, `engine/coschedule/resizing/open_ended/giving_back.py`.",
    ),
    Mechanism(
        place="5.6",
        what="No change is taken back soon after it was made.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/snapshot/holders/resizable.py`, `spec.elastic.minInterval`; "
            "`operator/lockstep/belief/nodes/owners.py` after an owner has left."
        ),
    ),
    Mechanism(
        place="5.7.1",
        what="Applications bid for numbers of workstations in a share auction.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/shum/auction.py`, by `lockstep solve`. On a cluster an exact division needs "
            "fewer changes."
        ),
    ),
    Mechanism(
        place="5.7.1",
        what="An arrival or a change of supply leads to the next auction early.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/cycle/clockwork/wake_event.py`: each change in the cache leads to a plan.",
    ),
    Mechanism(
        place="5.7.1",
        what="Before an auction, the time of a unit of work is measured.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/cycle/placed/unit_times.py`, `status.unitTimes`.",
    ),
    Mechanism(
        place="5.7.1",
        what="The result names a level and the workstations for it.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/report/status/attempt_marks.py`, `status.next`.",
    ),
    Mechanism(
        place="5.7.2",
        what="Forward bids are gains by one level more; backward bids are losses by one less.",
        state=MechanismState.ARITHMETIC,
        where="`engine/coschedule/problems/shum/applications.py`, by `lockstep solve`.",
    ),
    Mechanism(
        place="5.7.2",
        what="A potential bid replaces the forward bid of a level that is not known.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/shum/applications.py`, by `lockstep solve`. On a cluster "
            "`engine/coschedule/resizing/unit_times.py` extends the measured speeds."
        ),
    ),
    Mechanism(
        place="5.7.2",
        what="The times of all levels that an application had are kept.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/api/gangjob/elastic.py`, `status.unitTimes`.",
    ),
    Mechanism(
        place="5.7.3",
        what="An application begins at the highest level below the top whose workstations are free.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/shum/auction.py`, by `lockstep solve`. A gang without work starts with as "
            "many members as fit."
        ),
    ),
    Mechanism(
        place="5.7.3",
        what="Newcomers go first, and take workstations from others if need be.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/resizing/open_ended/giving_back.py`: gangs keep at least an equal part.",
    ),
    Mechanism(
        place="5.7.3",
        what="The largest forward bid takes from the smallest backward bid.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/shum/auction.py`, by `lockstep solve`. On a cluster "
            "`engine/coschedule/resizing/open_ended/dividing.py` divides by speeds."
        ),
    ),
    Mechanism(
        place="5.7.3",
        what="Applications at unknown levels use what is free, by potential bids.",
        state=MechanismState.ARITHMETIC,
        where="`engine/coschedule/problems/shum/auction.py`, by `lockstep solve`.",
    ),
    Mechanism(
        place="5.7.3",
        what="A bid has to exceed the other one by a factor.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/resizing/open_ended/dividing.py`: a change has to be worth a factor of 1.1.",
    ),
    Mechanism(
        place="5.7.3",
        what="An application that does not get faster goes back a level.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/resizing/open_ended/dividing.py`, by the speeds in `status.unitTimes`.",
    ),
    Mechanism(
        place="5.7.3",
        what="Auctions stop when no change makes all applications better off.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/resizing/open_ended/dividing.py` stops when no change gains more than it costs.",
    ),
    Mechanism(
        place="5.8.1",
        what="A least time lies between two auctions.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/api/gangjob/elastic.py`, `spec.elastic.minInterval`.",
    ),
    Mechanism(
        place="5.8.1",
        what="Applications take no part near their end, after many auctions, or if not yet measured.",
        state=MechanismState.IN_PART,
        where=(
            "`engine/coschedule/resizing/gangs/elastic_run.py`, `operator/lockstep/cycle/placed/unit_times.py`. "
            "Missing: no number of changes exempts a gang."
        ),
    ),
)
