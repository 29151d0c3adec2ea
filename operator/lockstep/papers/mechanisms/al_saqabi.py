"""The mechanisms of Al-Saqabi, Otto and Walpole [S]."""

from lockstep.papers.mechanisms.mechanism import Mechanism, MechanismState

MECHANISMS = (
    Mechanism(
        place="1",
        what="A process moves to another machine at any moment, with its state.",
        state=MechanismState.ABSENT,
        where=(
            "Kubernetes moves no running container. Members go on elsewhere from checkpoints that the program writes."
        ),
    ),
    Mechanism(
        place="1",
        what="An owner who comes back gets the processor, and its processes go elsewhere.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/belief/nodes/owners.py`, `operator/lockstep/cycle/ends/owner_returned.py`, "
            "`spec.onReturn`."
        ),
    ),
    Mechanism(
        place="3",
        what="Processes of a processor that leaves get places on others.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/belief/lost_nodes.py`, `operator/lockstep/cycle/placed/reserved.py`. The gang is "
            "planned anew, or goes on with fewer members."
        ),
    ),
    Mechanism(
        place="3",
        what="A new processor is used by jobs that wait and by jobs that run.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/cycle/planning/planning.py`, `engine/coschedule/resizing/open_ended/growing.py`.",
    ),
    Mechanism(
        place="3",
        what="A job that creates a process gets a place for it.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/resizing/member_changes.py`, `spec.elastic.size`, `lockstep resize`. Missing: a "
            "new member on nodes that the gang fills already; it waits for room."
        ),
    ),
    Mechanism(
        place="3",
        what="A process that ends leaves its room to other jobs.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/belief/holding/ledger.py` counts no pod that has ended.",
    ),
    Mechanism(
        place="3",
        what="A map of processors and time slices shows which job runs where and when.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/al_saqabi/allocation_map.py`. On a cluster, gangs follow one another without "
            "slices."
        ),
    ),
    Mechanism(
        place="3",
        what="All processes of a job run in the same time slices.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/al_saqabi/allocation_map.py`. No kubelet switches all members of a gang at "
            "once."
        ),
    ),
    Mechanism(
        place="3",
        what="If no processor is free, displaced processes share the processors of their own job.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/dealer/deal.py` deals the pieces of a lost member to the others; "
            "`engine/coschedule/queue/loads/pieces.py` deals several at the start."
        ),
    ),
    Mechanism(
        place="3",
        what="A job that would be faster moves; any other keeps its processors.",
        state=MechanismState.IN_PART,
        where=(
            "`engine/coschedule/resizing/worth.py` weighs the pause against the rest of the run; "
            "`spec.elastic.restartTime`. Missing: a gang that keeps its size does not move."
        ),
    ),
    Mechanism(
        place="3",
        what="A benchmark measures each processor from time to time.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/agent/measuring/capacity.py`, `status.measured.capacity`.",
    ),
    Mechanism(
        place="3",
        what="A process goes only to processors of its own architecture.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/queue/feasible/feasibility.py`, by the selectors in `spec.template` or in those of "
            "`spec.roles`."
        ),
    ),
    Mechanism(
        place="4",
        what="A job takes free space unless a time slice of its own is faster.",
        state=MechanismState.ARITHMETIC,
        where="`engine/coschedule/problems/al_saqabi/events.py`. A cluster has no time slices.",
    ),
    Mechanism(
        place="4.1",
        what="Pieces are divided so that the last of them is done as early as possible.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/pieces/apportion.py`, used by `engine/coschedule/queue/loads/pieces.py`; `spec.pieces`."
        ),
    ),
    Mechanism(
        place="4.1",
        what="Each pool of one architecture divides its own pieces; the slowest pool counts.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/queue/roles/pools.py`, `spec.roles`: a pool is a role with pieces, whose nodes its "
            "template selects. Pools may compete for nodes there, and never do in the paper."
        ),
    ),
    Mechanism(
        place="4.2",
        what="The division with the fewest processors is taken among equally fast ones.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/queue/loads/pieces.py`; for one job alone "
            "`engine/coschedule/problems/al_saqabi/compress.py`, by `lockstep solve`."
        ),
    ),
    Mechanism(
        place="4.2",
        what="Each pool of one architecture gives up the processors that it does not need.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/al_saqabi/compress.py`, by `lockstep solve`. On a cluster one role may vary: "
            "it has the fewest members that end with the last pool."
        ),
    ),
    Mechanism(
        place="4.3",
        what="A search finds the largest regular pattern of free slices.",
        state=MechanismState.ARITHMETIC,
        where="`engine/coschedule/problems/al_saqabi/expand.py`, by `lockstep solve`. A cluster has no time slices.",
    ),
    Mechanism(
        place="4.3",
        what="The search for free space can be replaced by another one.",
        state=MechanismState.ARITHMETIC,
        where=(
            "`engine/coschedule/problems/al_saqabi/expand.py` has an exact search, the paper's for many slices, and "
            "two objectives."
        ),
    ),
    Mechanism(
        place="4.4.2",
        what="Free entries speed up running jobs, and each time another job has the first choice.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/resizing/turns.py`, `engine/coschedule/resizing/sizes.py`, `spec.elastic`.",
    ),
    Mechanism(
        place="4.4.3",
        what="A job that loses a processor is divided anew, and others take what it frees.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/resizing/staying_members.py`, `engine/coschedule/resizing/resize.py`. A gang "
            "that can't go on with fewer members is planned anew."
        ),
    ),
    Mechanism(
        place="5",
        what="The map is distributed, so that each site decides by itself.",
        state=MechanismState.ABSENT,
        where=(
            "One leader plans a cluster, and another process stands by. A whole plan of 1,024 gangs takes one to two "
            "seconds."
        ),
    ),
    Mechanism(
        place="5",
        what="Past behaviour of processors and processes improves decisions.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/agent/history/history.py`, `operator/lockstep/belief/run_times/past_runs.py`.",
    ),
)
