"""The mechanisms of Atallah, Lock Black, Marinescu, Siegel and Casavant, 1992 [A]."""

from lockstep.papers.mechanisms.mechanism import Mechanism, MechanismState

MECHANISMS = (
    Mechanism(
        place="2",
        what="A workstation bids with its duty cycle and the time at which it can start.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/agent/measuring/duty_cycle.py` measures; `operator/lockstep/api/nodebid/bid.py` reads "
            "`spec.dutyCycle` and `spec.availableFrom`. `operator/lockstep/snapshot/holders/releases.py` adds the "
            "ends of running gangs."
        ),
    ),
    Mechanism(
        place="2",
        what="A broker chooses the workstations with the largest effective speed-up for its application.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/planning/planning.py` calls `engine/coschedule/queue/plan.py`. The result is "
            "`status.effectiveSpeedup`; `spec.sizing` says whether other gangs count too."
        ),
    ),
    Mechanism(
        place="2",
        what="Brokers know of other applications only what the bids of other brokers show.",
        state=MechanismState.ABSENT,
        where=(
            "One leader plans all gangs of a cluster on the same facts. It could promise no start if each gang "
            "decided alone."
        ),
    ),
    Mechanism(
        place="2",
        what="A broker accepts no bid that would give a workstation away twice.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/belief/holding/ledger.py`, `operator/lockstep/belief/holding/assumptions.py`, "
            "`status.reservedAt`."
        ),
    ),
    Mechanism(
        place="2",
        what="A local scheduler gives parallel tasks the share of the processor that was agreed.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/pace/paces.py` does so with `spec.pace`. Missing: without it a member has its "
            "request, and the kernel divides the rest."
        ),
    ),
    Mechanism(
        place="2",
        what="A scheduler keeps statistics of the processor time of each class of tasks.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/agent/measuring/usage.py`, `status.measured.dutyCycle`.",
    ),
    Mechanism(
        place="2",
        what="All workstations of the group start at the same time.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/act/attempt.py` binds all members or none. With `spec.network.startBarrier`, "
            "`operator/lockstep/cycle/placed/starts.py` also lets them begin together."
        ),
    ),
    Mechanism(
        place="2",
        what="The smallest size is the one that still meets the deadline.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/queue/choosing/deadlines.py`, `spec.deadline`. Each size is checked on real nodes, "
            "and not by a mean duty cycle."
        ),
    ),
    Mechanism(
        place="2",
        what="The largest size is the one up to which more workstations still help.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/queue/loads/equal.py` compares all sizes of `spec.size`, also where the speed-up "
            "falls and rises again."
        ),
    ),
    Mechanism(
        place="2",
        what="Run times are estimated from earlier runs, or from what the user states.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/belief/run_times/past_runs.py`, `operator/lockstep/belief/run_times/learned_law.py`, "
            "`spec.work.learn`, `lockstep profile`."
        ),
    ),
    Mechanism(
        place="2",
        what="The application cuts its data into equal parts, one for each workstation.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/api/rendezvous/common.py` gives each member its rank and the size. Missing: the "
            "program itself cuts its data."
        ),
    ),
    Mechanism(
        place="2",
        what="The application gathers the results of all workstations for its user.",
        state=MechanismState.ABSENT,
        where="Programs do that, for example on a volume that all members share.",
    ),
    Mechanism(
        place="2",
        what="A large request has to be granted at last; the paper leaves open how.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/queue/promises/slack.py`, `operator/lockstep/belief/gangs/age.py`, "
            "`status.plan.promisedStart`."
        ),
    ),
    Mechanism(
        place="2",
        what="If a workstation fails, the others complete the work; the paper leaves open how.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/resizing/staying_members.py` with `spec.elastic.mode`. Without it, "
            "`operator/lockstep/cycle/placed/reserved.py` begins a new attempt, and the program goes on from its "
            "checkpoint."
        ),
    ),
    Mechanism(
        place="3.1",
        what="The run time of each size follows from the serial time and the overhead.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/model/run_times.py`, `spec.work.serialTime`, `spec.work.overhead`.",
    ),
    Mechanism(
        place="3.2",
        what="A search over starts and duty cycles finds the best group for equal load.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/queue/loads/equal.py`; for one gang alone "
            "`engine/coschedule/problems/atallah/equal.py`, by `lockstep solve`."
        ),
    ),
    Mechanism(
        place="4",
        what="Faster workstations get more work, so that all end together.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/queue/loads/proportional.py`, `engine/coschedule/queue/planner/divide_work.py`, "
            "`spec.load`."
        ),
    ),
    Mechanism(
        place="4",
        what="Scattered decomposition deals many small parts, more of them to faster workstations.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/queue/loads/pieces.py`, `spec.pieces`.",
    ),
    Mechanism(
        place="5",
        what="A group of processors with faulty parts bids with a higher duty cycle.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/agent/measuring/capacity.py` measures each day how slow the node is. Missing: no "
            "check finds the faulty part."
        ),
    ),
    Mechanism(
        place="5",
        what="Each machine bids how fast it is for each type of code.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/belief/nodes/node_kinds.py` and `engine/coschedule/queue/choosing/own_speeds.py` have "
            "a factor for a template on a kind of nodes. Missing: several types of code in one template."
        ),
    ),
)
