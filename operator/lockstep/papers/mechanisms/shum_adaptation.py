"""The mechanisms of Shum, chapters 3 and 4: how work is structured, and adapts while it runs [C]."""

from lockstep.papers.mechanisms.mechanism import Mechanism, MechanismState

ADAPTATION = (
    Mechanism(
        place="3.3",
        what="An application is a graph of tasks with their computation and communication.",
        state=MechanismState.ABSENT,
        where="A gang states run times by size. Kubernetes users have programs, and no graphs of their tasks.",
    ),
    Mechanism(
        place="3.3",
        what="Prices follow demand and supply; the work is divided by its cost.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/planning/sizing.py`, `status.memberPrice`: members cost more while more gangs "
            "wait or run. Missing: a price of communication."
        ),
    ),
    Mechanism(
        place="3.4",
        what="The relative speed of parts, measured as they run, structures the work.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/placed/unit_times.py`, `status.unitTimes`: the speeds of whole gangs by size. "
            "Missing: those of single members."
        ),
    ),
    Mechanism(
        place="3.4.1",
        what="Tasks are grouped into grains, and each grain has a workstation.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/queue/loads/pieces.py`, `spec.pieces`: pieces are the tasks, and members the grains.",
    ),
    Mechanism(
        place="3.4.1",
        what="Which tasks belong to which grain changes as the application runs.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/dealer/deal.py` deals pieces to members while they run.",
    ),
    Mechanism(
        place="3.4.1",
        what="Which workstation has which grain changes as the application runs.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/resizing/next_members.py`, `spec.elastic`. Missing: a gang that keeps its size "
            "does not move to better nodes."
        ),
    ),
    Mechanism(
        place="3.4.2",
        what="The programmer lists the partitioning levels that an application can have.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/api/gangjob/role.py` reads `spec.size.allowed` and `spec.size.multipleOf`.",
    ),
    Mechanism(
        place="3.4.3",
        what="Applications regulate themselves by local information.",
        state=MechanismState.ABSENT,
        where="One leader plans all gangs, since promises need facts about all of them.",
    ),
    Mechanism(
        place="3.4.5",
        what="Outside monitors inform applications about resources and other applications.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/agent/bid/publishing.py` and `operator/lockstep/belief/state.py` inform the planner, "
            "which decides for all."
        ),
    ),
    Mechanism(
        place="4.2",
        what="Neighbouring grains race, and slower ones share their tasks with faster ones.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/dealer/deal.py` gives faster members more pieces, and the last pieces of silent "
            "members to others."
        ),
    ),
    Mechanism(
        place="4.4.2",
        what="A grain that is done asks its neighbours for tasks; busy ones give some.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/dealer/requests.py` answers a member that asks. One dealer has all pieces, so "
            "neighbours are not asked."
        ),
    ),
    Mechanism(
        place="4.5.2",
        what="Tasks of a simulation exchange events by time windows.",
        state=MechanismState.ABSENT,
        where="Simulating programs do that.",
    ),
    Mechanism(
        place="4.5.3",
        what="Neighbours run copies of slow tasks; the copy that ends first counts.",
        state=MechanismState.ABSENT,
        where="No member is started twice: two writers of one rank would spoil each other's files.",
    ),
    Mechanism(
        place="4.6.1",
        what="Grains split when more workstations become available.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/resizing/sizes.py`, `operator/lockstep/cycle/resizing/size_changes.py`, `spec.elastic`."
        ),
    ),
    Mechanism(
        place="4.6.1",
        what="Grains merge when there are fewer workstations.",
        state=MechanismState.WORKS,
        where=(
            "`engine/coschedule/resizing/shrinking.py`, `operator/lockstep/cycle/resizing/member_changes.py`, "
            "`spec.elastic`."
        ),
    ),
    Mechanism(
        place="4.6.1",
        what="Grains migrate from workstations that others use too.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/cycle/ends/owner_returned.py`, `spec.onReturn`. Missing: a rising load alone moves no "
            "gang."
        ),
    ),
    Mechanism(
        place="4.6.1",
        what="All grains synchronise before such a change.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/cycle/resizing/notices.py`: members have notice, write a checkpoint, and say that "
            "they are ready."
        ),
    ),
    Mechanism(
        place="4.6.2",
        what="A reporter collects the load of workstations outside the application.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/agent/process.py`, `lockstep agent`, `status.measured`.",
    ),
    Mechanism(
        place="4.6.2",
        what="Grains report their mean times of execution and of communication.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/belief/run_times/reported_work.py`, `status.progress`: members report the part of the "
            "work that is done. Missing: the time of communication."
        ),
    ),
    Mechanism(
        place="4.6.2",
        what="The configuration changes whenever performance gains by it.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/resizing/worth.py`, `engine/coschedule/resizing/resize.py`.",
    ),
    Mechanism(
        place="4.8.1",
        what="The application moves its own data, also to machines of another kind.",
        state=MechanismState.IN_PART,
        where=(
            "`operator/lockstep/api/rendezvous/sets.py` gives members ranks, hosts and parts. Missing: no data moves; "
            "programs read their checkpoints."
        ),
    ),
    Mechanism(
        place="4.8.2",
        what="Workstations may be added to an application that runs, and removed.",
        state=MechanismState.WORKS,
        where=(
            "`operator/lockstep/act/changing/joins.py`, `operator/lockstep/cycle/resizing/member_changes.py`, "
            "`spec.elastic.mode`."
        ),
    ),
    Mechanism(
        place="4.8.2",
        what="Tables of places let tasks find each other after each change.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/act/changing/member_files.py`, `operator/lockstep/api/rendezvous/common.py`.",
    ),
    Mechanism(
        place="4.8.2",
        what="At the start, grains get the workstations with the least load first.",
        state=MechanismState.WORKS,
        where="`engine/coschedule/queue/search/node_choice.py`: members get the fastest nodes first.",
    ),
    Mechanism(
        place="4.8.3",
        what="Grains check for signals at barriers in their loops.",
        state=MechanismState.WORKS,
        where="`operator/lockstep/api/members/notice.py`: members read a file when it suits them.",
    ),
    Mechanism(
        place="4.8.3",
        what="Tasks move between grains with their state, all at the same time.",
        state=MechanismState.ABSENT,
        where="Members keep state in checkpoints of their own; Kubernetes moves none of it.",
    ),
)
