"""The mechanisms of Shum, chapter 6: competition on workstations of several kinds [C]."""

from lockstep.papers.mechanisms.mechanism import Mechanism, MechanismState

CLUSTERS = (
    Mechanism(
        place="6.2",
        what="A state is a level and a kind of workstations; applications move between states.",
        state=MechanismState.IN_PART,
        where=(
            "`engine/coschedule/resizing/sizes.py` chooses sizes and speeds of nodes together. Missing: a gang that "
            "keeps its size changes to no other kind."
        ),
    ),
    Mechanism(
        place="6.2",
        what="An application may use workstations of several kinds.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/queue/loads/equal.py`, `status.plan.kinds`.",
    ),
    Mechanism(
        place="6.3",
        what="Applications register with local and remote clusters, and auctions span all of them.",
        state=MechanismState.ABSENT,
        where="One operator serves one cluster of Kubernetes; several clusters are not planned together.",
    ),
    Mechanism(
        place="6.3",
        what="A scheduler refuses applications when its cluster is overloaded.",
        state=MechanismState.ABSENT,
        where="No gang is turned away: it waits, and its status says for what.",
    ),
    Mechanism(
        place="6.3.1",
        what="Two applications never share a workstation.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/snapshot/nodes/node_arrays.py`, `spec.slots`: a node with one slot has one member of "
            "one gang."
        ),
    ),
    Mechanism(
        place="6.3.2",
        what="Schedulers and bidders are engaged for one auction at a time.",
        state=MechanismState.ABSENT,
        where="One leader makes one plan at a time, so that no other scheduler has to be kept away.",
    ),
    Mechanism(
        place="6.3.3",
        what="Bids compare the states that an application had on several kinds of workstations.",
        state=MechanismState.ABSENT,
        where="The auction of the engine has levels only. Plans compare kinds of nodes by their speeds.",
    ),
    Mechanism(
        place="6.3.3",
        what="Unknown times are estimated by the speeds of processors, and corrected by measurements.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/belief/nodes/node_kinds.py`, `engine/coschedule/learning/kind_factors.py`, "
            "`spec.work.learn`."
        ),
    ),
    Mechanism(
        place="6.3.3",
        what="An application leaves many slow workstations for a few fast ones.",
        state=MechanismState.IN_PART,
        where=(
            "`engine/coschedule/resizing/assign.py`: a gang that grows leaves slow nodes. Missing: one that shrinks "
            "keeps the fastest of its own."
        ),
    ),
    Mechanism(
        place="6.5",
        what="Results of runs are used for the next runs of the same application.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/belief/run_times/past_runs.py`, `operator/lockstep/api/gangjob/kept_runs.py`, "
            "`lockstep profile`."
        ),
    ),
)
