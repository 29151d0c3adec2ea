"""Coscheduling: facts in, decisions out, with no I/O, clock, logging or randomness.

One function a problem of the request language (docs/library.md has an example of each):

    equal          choose_equal           compress       compress          forecast       forecast_load
    proportional   choose_proportional    compressPools  compress_pools    auction        replay
    pieces         apportion              expand         expand            shares         divide_shares
    gangPieces     place_pieces           pace           keep_pace         heterogeneity  measure_network

and beyond it: ``plan`` for a whole queue of gangs, ``AllocationMap`` and its events, ``TimeCredit`` and
``mean_turnaround``. Inputs and results are frozen; a problem without a solution is answered by a value with a reason.
"""

from coschedule.cluster.plan import plan
from coschedule.cluster.snapshot import Snapshot
from coschedule.errors import InvalidValueError
from coschedule.groups.equal import choose_equal
from coschedule.groups.goal import Goal, Objective
from coschedule.groups.loads import Overhead
from coschedule.groups.proportional import choose_proportional
from coschedule.groups.why import why
from coschedule.market.auction import replay
from coschedule.market.events import Arrive, AuctionRules, Depart, HoldAuction, Loaders, SetUnitTimes
from coschedule.market.forecast import LoadHistory, Smoothing, forecast_load
from coschedule.market.replication import mean_turnaround
from coschedule.market.shares import Levels, divide_shares
from coschedule.nodes import Node
from coschedule.pace import TimeCredit, keep_pace, measure_network
from coschedule.pieces.allocation_map import Allocation, AllocationMap
from coschedule.pieces.apportion import apportion
from coschedule.pieces.compress import Pool, compress, compress_pools
from coschedule.pieces.events import new_processor, new_vp, processor_exit, submit, vp_exit
from coschedule.pieces.expand import expand
from coschedule.pieces.gang_pieces import place_pieces
from coschedule.pieces.offers import PiecesJob
from coschedule.pieces.why import why_pieces
from coschedule.work import SerialWork, TimesWork

__all__ = [
    "Allocation",
    "AllocationMap",
    "Arrive",
    "AuctionRules",
    "Depart",
    "Goal",
    "HoldAuction",
    "InvalidValueError",
    "Levels",
    "LoadHistory",
    "Loaders",
    "Node",
    "Objective",
    "Overhead",
    "PiecesJob",
    "Pool",
    "SerialWork",
    "SetUnitTimes",
    "Smoothing",
    "Snapshot",
    "TimeCredit",
    "TimesWork",
    "apportion",
    "choose_equal",
    "choose_proportional",
    "compress",
    "compress_pools",
    "divide_shares",
    "expand",
    "forecast_load",
    "keep_pace",
    "mean_turnaround",
    "measure_network",
    "new_processor",
    "new_vp",
    "place_pieces",
    "plan",
    "processor_exit",
    "replay",
    "submit",
    "vp_exit",
    "why",
    "why_pieces",
]
