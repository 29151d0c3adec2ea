"""The mechanisms of Shum, chapters 7 and 8 and appendix A: replicas, coalitions and prices [C]."""

from lockstep.papers.mechanisms.mechanism import Mechanism, MechanismState

REPLICATION = (
    Mechanism(
        place="7.2.1",
        what="Within a coalition, priorities say who gets new workstations first.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/belief/gangs/priorities.py`, `spec.priorityClassName`. Missing: a coalition; "
            "priorities hold for all gangs of a cluster."
        ),
    ),
    Mechanism(
        place="7.2.1",
        what="Partners of a coalition take no workstations from each other.",
        state=MechanismState.ABSENT,
        where="Not built yet: gangs belong to no coalition.",
    ),
    Mechanism(
        place="7.2.1",
        what="Partners share what they know about run times.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/belief/run_times/run_memory.py`: runs of one template in one namespace are learned "
            "from together."
        ),
    ),
    Mechanism(
        place="7.2.1",
        what="What each user holds is watched and bounded by a budget.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/snapshot/quotas/quota_bounds.py`, `operator/lockstep/cycle/planning/within_quotas.py`."
        ),
    ),
    Mechanism(
        place="7.2.2",
        what="All programs of one user form a weak coalition.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/belief/common/fair_queue.py` and quotas treat a namespace as one. Missing: gangs of "
            "one namespace compete like others."
        ),
    ),
    Mechanism(
        place="7.2.2",
        what="Runs with one goal and different parameters form a strong coalition.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/sweeps/deciding.py` makes the runs of a GangSweep, each with its own parameters."
        ),
    ),
    Mechanism(
        place="7.3.1",
        what="Copies of an application run until one ends; one has a high priority.",
        state=MechanismState.ABSENT,
        where="A copy costs as many nodes as the original. Gangs go on from checkpoints on volumes instead.",
    ),
    Mechanism(
        place="7.3.1",
        what="At checkpoints the fastest copy passes its state on; after failures another one leads.",
        state=MechanismState.ABSENT,
        where="Gangs have no copies. `spec.failurePolicy` says what a failure leads to.",
    ),
    Mechanism(
        place="7.3.2",
        what="Schedulers detect processes that fail.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/ends/failure_policy.py`, `operator/lockstep/belief/lost_nodes.py`, "
            "`spec.failurePolicy`."
        ),
    ),
    Mechanism(
        place="7.4.1",
        what="Several parallel runs of a simulation go on at the same time.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/sweeps/following.py`, with one size for all from "
            "`engine/coschedule/sweeps/common_size.py`."
        ),
    ),
    Mechanism(
        place="7.4.1",
        what="Runs go on until their results are exact enough.",
        state=MechanismState.ABSENT,
        where="Not built yet: no gang ends because of the results of others.",
    ),
    Mechanism(
        place="7.4.2",
        what="The time of many runs follows from the workstations of each and from their number.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/shum/replication.py` computes the time of N runs on R groups, in Python only."
        ),
    ),
    Mechanism(
        place="7.4.3",
        what="A run that ends starts the next one on the same workstations.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/sweeps/deciding.py` makes the next run when one ends, and the plan chooses "
            "its nodes. Missing: it need not be the same nodes."
        ),
    ),
    Mechanism(
        place="7.4.4",
        what="Only the first runs that began count, so that results are unbiased.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`operator/lockstep/simulation/sweeps/replicas.py` simulates it. A GangSweep counts all of its runs, "
            "or the first that ended."
        ),
    ),
    Mechanism(
        place="7.4.4",
        what="A run is bound to the workstations of one cluster.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/queue/feasible/feasibility.py`, by a selector in `spec.template`.",
    ),
    Mechanism(
        place="7.4.4",
        what="A run uses workstations of all clusters, as they become free.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/queue/plan.py`: without a selector, all nodes of the pool count.",
    ),
    Mechanism(
        place="7.4.4",
        what="The earliest run moves to faster workstations as soon as they are free.",
        state=MechanismState.ABSENT,
        where="Not built yet for coalitions. It may also end later than without a move, as `docs/algorithms.md` shows.",
    ),
    Mechanism(
        place="8.2",
        what="A compiler finds the boundaries of tasks and grains by itself.",
        state=MechanismState.ABSENT,
        where="That is the business of compilers.",
    ),
    Mechanism(
        place="8.2",
        what="Applications negotiate processors, bandwidth and storage together.",
        state=MechanismState.IN_PART,
        where=(
            "`engine/coschedule/queue/slots/open_slots.py`, `operator/lockstep/snapshot/nodes/resource_columns.py`: "
            "all resources that pods request. Missing: bandwidth, and a negotiation."
        ),
    ),
    Mechanism(
        place="A.1",
        what="Partitioning and mapping run again whenever demand or supply changes.",
        state=MechanismState.IN_PART,
        where="`operator/lockstep/cycle/cycle.py`: each change leads to a new plan. Missing: graphs of tasks.",
    ),
    Mechanism(
        place="A.2.1",
        what="Prices say how many grains each cluster gets; the cheapest is filled first.",
        state=MechanismState.ABSENT,
        where="Lockstep knows no graphs of tasks: sizes follow from run times.",
    ),
    Mechanism(
        place="A.2.2",
        what="Expensive tasks become nuclei; others join the one with the least decoupling force.",
        state=MechanismState.ABSENT,
        where="Lockstep knows no graphs of tasks: programs group their work.",
    ),
    Mechanism(
        place="A.3.1",
        what="The most expensive grain gets the cheapest workstation, whose price then rises.",
        state=MechanismState.ABSENT,
        where="Members of a gang differ by role only, so that the fastest nodes come first.",
    ),
    Mechanism(
        place="A.3.2",
        what="Pairs of grains change places as long as that gains enough.",
        state=MechanismState.ABSENT,
        where="The nodes of a gang are searched for exactly, so that no exchange within it could gain.",
    ),
)
