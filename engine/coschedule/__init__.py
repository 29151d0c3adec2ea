"""Coscheduling: facts in, decisions out, without I/O, clock, logging or randomness.

One function for each problem of the request language (docs/library.md has an example of each):

    equal          choose_equal           compress       compress          forecast       forecast_load
    proportional   choose_proportional    compressPools  compress_pools    auction        replay
    pieces         apportion              expand         expand            shares         divide_shares
    gangPieces     place_pieces           pace           keep_pace         heterogeneity  measure_network

Further functions: ``plan`` plans a whole queue of gangs. ``plan_behind`` plans gangs that wait until gangs of the queue
have ended. ``preempt`` chooses gangs to evict for more urgent gangs. ``resize`` chooses new sizes for gangs that run.
``turn_of`` repeats a finished plan up to one gang, to explain the decision on this gang. ``submit``, ``new_vp``,
``vp_exit``, ``new_processor`` and ``processor_exit`` are events of an ``AllocationMap``, a map of processors and time
slices. ``TimeCredit`` and ``mean_turnaround`` compute formulas of the papers. ``fit_work`` learns run times from
finished runs. ``common_size`` chooses one size for all runs of a sweep.

Inputs and results are immutable. For a problem without a solution, the result is a value that says why.
"""

from coschedule.learning.kind_factors import KindFit, fit_kinds
from coschedule.learning.observations import FinishedRuns
from coschedule.learning.work_fit import NoFit, Shortage, WorkFit, error_of_multiple, fit_work
from coschedule.model.divided_work import Overhead
from coschedule.model.errors import InvalidValueError
from coschedule.model.goal import Goal, Objective
from coschedule.model.kinds import KindFactor, number_kinds, times_on
from coschedule.model.run_times import ProfileWork, SerialWork, TimedSize, TimesWork, Work
from coschedule.pieces.apportion import apportion
from coschedule.problems.al_saqabi.allocation_map import Allocation, AllocationMap
from coschedule.problems.al_saqabi.compress import Pool, compress, compress_pools
from coschedule.problems.al_saqabi.events import new_processor, new_vp, processor_exit, submit, vp_exit
from coschedule.problems.al_saqabi.expand import ExpandObjective, expand
from coschedule.problems.al_saqabi.gang_pieces import place_pieces
from coschedule.problems.al_saqabi.offers import PiecesJob
from coschedule.problems.al_saqabi.why import why_pieces
from coschedule.problems.atallah.equal import choose_equal
from coschedule.problems.atallah.proportional import choose_proportional
from coschedule.problems.atallah.why import why
from coschedule.problems.du.pace import NoPace, TimeCredit, keep_pace, measure_network
from coschedule.problems.node import Node
from coschedule.problems.shum.auction import replay
from coschedule.problems.shum.events import Arrive, AuctionRules, Depart, HoldAuction, Loaders, SetUnitTimes
from coschedule.problems.shum.forecast import LoadHistory, Smoothing, forecast_load
from coschedule.problems.shum.replication import mean_turnaround
from coschedule.problems.shum.shares import Levels, divide_shares
from coschedule.queue.behind import Behind, plan_behind
from coschedule.queue.choosing.own_speeds import own_times
from coschedule.queue.codec import decode_plan, decode_snapshot, encode_plan, encode_snapshot
from coschedule.queue.constraints.requirements import LabelTest, label_test
from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Taint, Toleration
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.keeping.memory import kept_from, remembering
from coschedule.queue.owners.hazards import Hazards, hazards_of
from coschedule.queue.plan import plan
from coschedule.queue.planner.observer import Observer
from coschedule.queue.planner.planner import failed
from coschedule.queue.planner.turn import Turn
from coschedule.queue.preemption.preempt import Preempting, Preemption, preempt
from coschedule.queue.problem.decisions import Alternative, Decision, Hold, Placement, Plan, Risk, Unplaceable
from coschedule.queue.problem.fair_shares import FairShares, ShareGroup, charged_seconds
from coschedule.queue.problem.gangs import GangKey, Kept, Load, PendingGang, Role, Seat
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.nodes import NodeTable, Nominated, Release
from coschedule.queue.problem.open_ended import Blocker, OpenEnded
from coschedule.queue.problem.order import Urgency, urgency
from coschedule.queue.problem.owner_forecasts import Forecasts, Interruptible, no_forecasts
from coschedule.queue.problem.parts import Part, Pieces, Share, decode_part, encode_part
from coschedule.queue.problem.pools import even_run
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.refusals import (
    ConstraintsTooLong,
    DeadlineCannotBeMet,
    HeldByGangsInFront,
    HeldByLastingPods,
    NoDomainFits,
    NoNodeFits,
    NoRoomTogether,
    NotEnoughRoom,
    NoTimeForSize,
    OfRole,
    PlanningFailed,
    Reason,
    Refusal,
    Scarcest,
    Spelled,
    TooLittle,
    TooManyCombinations,
    TopologiesCross,
    WindowTooShort,
)
from coschedule.queue.problem.running import Disrupted, Holding, RunningGang, SmallerSize, SmallerSizes
from coschedule.queue.problem.size_change import OwnerReturn, SizeChange, SizeReason, SlowNode
from coschedule.queue.problem.sizes import Sizes
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT, Snapshot
from coschedule.queue.problem.terms import Term, TermKind
from coschedule.queue.search.candidates import Outline
from coschedule.queue.shares.dealing import TurnsByUse
from coschedule.queue.shares.taking_back import TakenBack, claim_of
from coschedule.queue.why.by_size import best_by_size, sizes_of
from coschedule.queue.why.by_speed import SpeedGroup, nodes_by_speed
from coschedule.queue.why.changes import (
    AffinityDropped,
    Change,
    FewerMembers,
    GangEnds,
    GangLeaves,
    SelectorDropped,
    TaintTolerated,
    TermDropped,
    decision_if,
    possible_changes,
)
from coschedule.queue.why.following import decision_of, turn_of
from coschedule.queue.why.last_to_have_room import last_to_have_room
from coschedule.queue.why.room_now import RoomNow, room_now
from coschedule.resizing.beside import Resized
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.size_plan import SizedStart, SizePlan
from coschedule.resizing.gangs.sized_run import ChangeTerms, FixedMembers, SeatKind, SizedRun
from coschedule.resizing.giving_way import with_smaller_sizes
from coschedule.resizing.placements import placements
from coschedule.resizing.resize import resize
from coschedule.resizing.unit_times import UnitTime
from coschedule.resizing.worlds import after_changes
from coschedule.sweeps.common_size import CommonSize, NoCommonSize, RunTimeLaw, common_size

__all__ = [
    "AMOUNT_LIMIT",
    "AffinityDropped",
    "Allocation",
    "AllocationMap",
    "Alternative",
    "Arrive",
    "AuctionRules",
    "Behind",
    "Blocker",
    "Change",
    "ChangeTerms",
    "CommonSize",
    "Constraints",
    "ConstraintsTooLong",
    "DeadlineCannotBeMet",
    "Decision",
    "Depart",
    "Disrupted",
    "ElasticRun",
    "ExpandObjective",
    "FairShares",
    "Feasibility",
    "FewerMembers",
    "FinishedRuns",
    "FixedMembers",
    "Forecasts",
    "GangEnds",
    "GangKey",
    "GangLeaves",
    "Goal",
    "Hazards",
    "HeldByGangsInFront",
    "HeldByLastingPods",
    "Hold",
    "HoldAuction",
    "Holding",
    "Interruptible",
    "InvalidValueError",
    "Kept",
    "KindFactor",
    "KindFit",
    "LabelTest",
    "Levels",
    "Load",
    "LoadHistory",
    "Loaders",
    "Members",
    "NoCommonSize",
    "NoDomainFits",
    "NoFit",
    "NoNodeFits",
    "NoPace",
    "NoRoomTogether",
    "NoTimeForSize",
    "Node",
    "NodeTable",
    "NodeTerm",
    "Nominated",
    "NotEnoughRoom",
    "Objective",
    "Observer",
    "OfRole",
    "OpenEnded",
    "OpenEndedRun",
    "Outline",
    "Overhead",
    "OwnerReturn",
    "Part",
    "PendingGang",
    "Pieces",
    "PiecesJob",
    "Placement",
    "Plan",
    "PlanningFailed",
    "Pool",
    "Preempting",
    "Preemption",
    "ProfileWork",
    "Promises",
    "Reason",
    "Refusal",
    "Release",
    "Requirement",
    "Resized",
    "Risk",
    "Role",
    "RoomNow",
    "RunTimeLaw",
    "RunningGang",
    "Scarcest",
    "Seat",
    "SeatKind",
    "SelectorDropped",
    "SerialWork",
    "SetUnitTimes",
    "Share",
    "ShareGroup",
    "Shortage",
    "SizeChange",
    "SizePlan",
    "SizeReason",
    "SizedRun",
    "SizedStart",
    "Sizes",
    "SlowNode",
    "SmallerSize",
    "SmallerSizes",
    "Smoothing",
    "Snapshot",
    "SpeedGroup",
    "Spelled",
    "Taint",
    "TaintTolerated",
    "TakenBack",
    "Term",
    "TermDropped",
    "TermKind",
    "TimeCredit",
    "TimedSize",
    "TimesWork",
    "Toleration",
    "TooLittle",
    "TooManyCombinations",
    "TopologiesCross",
    "Turn",
    "TurnsByUse",
    "UnitTime",
    "Unplaceable",
    "Urgency",
    "WindowTooShort",
    "Work",
    "WorkFit",
    "after_changes",
    "apportion",
    "best_by_size",
    "charged_seconds",
    "choose_equal",
    "choose_proportional",
    "claim_of",
    "common_size",
    "compress",
    "compress_pools",
    "decision_if",
    "decision_of",
    "decode_part",
    "decode_plan",
    "decode_snapshot",
    "divide_shares",
    "encode_part",
    "encode_plan",
    "encode_snapshot",
    "error_of_multiple",
    "even_run",
    "expand",
    "failed",
    "fit_kinds",
    "fit_work",
    "forecast_load",
    "hazards_of",
    "keep_pace",
    "kept_from",
    "label_test",
    "last_to_have_room",
    "mean_turnaround",
    "measure_network",
    "new_processor",
    "new_vp",
    "no_forecasts",
    "nodes_by_speed",
    "number_kinds",
    "own_times",
    "place_pieces",
    "placements",
    "plan",
    "plan_behind",
    "possible_changes",
    "preempt",
    "processor_exit",
    "remembering",
    "replay",
    "resize",
    "room_now",
    "sizes_of",
    "submit",
    "times_on",
    "turn_of",
    "urgency",
    "vp_exit",
    "why",
    "why_pieces",
    "with_smaller_sizes",
]
