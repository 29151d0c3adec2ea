"""The mechanisms of Du, Dong and Zhang [D]."""

from lockstep.papers.mechanisms.mechanism import Mechanism, MechanismState

MECHANISMS = (
    Mechanism(
        place="2.2",
        what="The power weight of a workstation is its measured speed relative to the fastest.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/agent/measuring/capacity.py`, `spec.capacity`; for one program also "
            "`operator/lockstep/belief/nodes/node_kinds.py`."
        ),
    ),
    Mechanism(
        place="2.2",
        what="The owner's load is measured on each workstation.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/agent/measuring/duty_cycle.py`, `status.measured.dutyCycle`.",
    ),
    Mechanism(
        place="2.2",
        what="The heterogeneity and the total power of a network follow from the weights.",
        state=MechanismState.ARITHMETIC,
        where="`engine/coschedule/problems/du/pace.py`, by `lockstep solve`. No decision on a cluster needs them.",
    ),
    Mechanism(
        place="3.1.1",
        what="Parallel tasks and the owner's jobs share a workstation, and no task moves away.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/cycle/pace/paces.py`, `spec.onReturn`.",
    ),
    Mechanism(
        place="3.1.1",
        what="Each kind of jobs may use the power that the other kind leaves free.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/pace/pacing.py`, `spec.pace`: Share lowers requests and keeps limits. With "
            "Local a limit also holds while the owner uses nothing."
        ),
    ),
    Mechanism(
        place="3.1.1",
        what="All tasks of a job start with a small skew at most.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/act/attempt.py`, `operator/lockstep/cycle/placed/starts.py`, "
            "`spec.network.startBarrier`."
        ),
    ),
    Mechanism(
        place="3.2.1",
        what="Each workstation keeps a part of its power for parallel jobs, another for users.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/pace/pacing.py` requests what members need. Missing: users have a part of their "
            "own only by `spec.onReturn`."
        ),
    ),
    Mechanism(
        place="3.2.1",
        what="A part of each workstation's power is left to the kernel.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/agent/measuring/duty_cycle.py` counts what runs in no pod as local work.",
    ),
    Mechanism(
        place="3.2.1",
        what="The slowest workstation decides how much power is kept on all.",
        state=MechanismState.ABSENT,
        where="A fast node with much local work may have less to give. So the paper's second way is used.",
    ),
    Mechanism(
        place="3.2.1",
        what="The workstation that can give least decides how much power is kept on all.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/problems/du/pace.py`, `operator/lockstep/cycle/pace/pacing.py`, `spec.pace`.",
    ),
    Mechanism(
        place="3.2.2",
        what="The size of a task gives the time of its phase.",
        state=MechanismState.ABSENT,
        where="The pace depends on power alone: by the paper's formula (3.13), the size of the tasks cancels out.",
    ),
    Mechanism(
        place="3.2.2",
        what="All local schedulers get the power of the slowest workstation.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/pace/due_resizes.py`, `operator/lockstep/act/changing/resizes.py`. They resize "
            "members, and kubelets do the rest."
        ),
    ),
    Mechanism(
        place="3.2.2",
        what="A local scheduler gives the task every n-th time slice.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/pace/pacing.py`, by the kernel's quota. Missing: time that a member leaves "
            "unused is lost; credit for it is only in `engine/coschedule/problems/du/pace.py`."
        ),
    ),
    Mechanism(
        place="3.2.2",
        what="Several parallel jobs on the same workstations add their tasks up.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/belief/holding/ledger.py`, `spec.slots`: members of several gangs share a node. "
            "Missing: a common pace; each gang has its own."
        ),
    ),
    Mechanism(
        place="3.2.2",
        what="Another parallel job uses the power that the first one leaves.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/pace/paces.py`, `status.pace.givenBack`. With Local, other gangs may use what is "
            "given back."
        ),
    ),
    Mechanism(
        place="3.3.1",
        what="A task that communicates gets all of the power that is kept.",
        state=MechanismState.ABSENT,
        where="No kernel reports to Kubernetes when a program communicates.",
    ),
    Mechanism(
        place="3.3.1",
        what="Only one of several tasks that want to communicate uses the network.",
        state=MechanismState.ABSENT,
        where="Networks have switches today, and the order of messages is another layer's business.",
    ),
    Mechanism(
        place="3.3.1",
        what="A task that can't communicate yet leaves the processor to a user's job.",
        state=MechanismState.ABSENT,
        where="Message libraries and the kernel decide that.",
    ),
    Mechanism(
        place="3.3.1",
        what="No time slice is cut short for a task that wants to communicate.",
        state=MechanismState.ABSENT,
        where="Time slices are the kernel's business.",
    ),
    Mechanism(
        place="4",
        what="Tasks of unequal size are scheduled too, as further work.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/queue/planner/divide_work.py`, `spec.load`.",
    ),
    Mechanism(
        place="4",
        what="The scheduler takes the network into account, as further work.",
        state=MechanismState.IN_PART,
        where=(
            "`engine/coschedule/queue/choosing/one_domain.py`, `spec.placement.allIn`. Missing: no bandwidth is "
            "measured."
        ),
    ),
)
