"""The options that affect plans, for the operator and for commands that explain its plans."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from coschedule import Promises
from lockstep.answers.plan.rules import PlanRules
from lockstep.api.pool import Pool
from lockstep.belief.state import State
from lockstep.cli.options.durations import as_seconds
from lockstep.cli.options.number_range import NumberRange
from lockstep.cli.options.pool_options import pool_options
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.sizing import SizingPolicy
from lockstep.facts.past_runs import USUAL_QUANTILE
from lockstep.facts.sizing import Sizing

Command = Callable[..., Any]

_HOLD_FOR = click.option(
    "--hold-for",
    metavar="DURATION",
    default="10m",
    callback=as_seconds,
    help="How long a gang that waits for others of unknown end may hold nodes; 0 means never.",
)
_HOLDING_GANGS = click.option(
    "--holding-gangs",
    metavar="N",
    type=click.IntRange(0, 1024),
    default=4,
    help="Most gangs that hold nodes at once.",
)
_SIZING = click.option(
    "--sizing",
    type=click.Choice([one.value for one in Sizing]),
    default=Sizing.BALANCED.value,
    callback=lambda _context, _option, value: Sizing(value),
    help="How large gangs are made: for all who wait, each as fast as it can be, or with the fewest members.",
)
_PRICE_FACTOR = click.option(
    "--price-factor",
    metavar="NUMBER",
    type=NumberRange(0, 1000),
    default=SizingPolicy().factor,
    help="How much a member-second counts for other gangs, where the sizing is Balanced.",
)
_PROMISES = click.option(
    "--promises",
    type=click.Choice([one.value for one in Promises]),
    default=Promises.SLACK.value,
    callback=lambda _context, _option, value: Promises(value),
    help="What gangs that wait are promised, and so in which order gangs of one priority may start.",
)
_RUN_TIME_QUANTILE = click.option(
    "--run-time-quantile",
    metavar="NUMBER",
    type=NumberRange(0, 1),
    default=USUAL_QUANTILE,
    help="Which part of the last runs of a template took no longer than is planned with; 0 means as stated.",
)
_FAIR_SHARES = click.option(
    "--fair-shares",
    metavar="BOOL",
    type=bool,
    default=False,
    help="Whether the groups of the FairShare take turns by what they have used and by their weights.",
)
_GATE_IMAGE = click.option(
    "--gate-image",
    metavar="IMAGE",
    default="",
    help="Image with the command lockstep, in which members wait that start after others; without it none can.",
)


def plan_options(command: Command) -> Command:
    """Add the options for the rules of planning to a command."""
    return _HOLD_FOR(_HOLDING_GANGS(_SIZING(_PRICE_FACTOR(_PROMISES(_RUN_TIME_QUANTILE(_FAIR_SHARES(command)))))))


def member_options(command: Command) -> Command:
    """Add the options for what members get, and so where they may run, to a command."""
    return pool_options(_GATE_IMAGE(command))


def rules_of(options: Mapping[str, Any]) -> PlanRules:
    """The rules by the options of ``plan_options``."""
    return PlanRules(
        sizing=SizingPolicy(sizing=options["sizing"], factor=options["price_factor"]),
        promises=options["promises"],
        holds=HoldPolicy(seconds=options["hold_for"], gangs=options["holding_gangs"]),
    )


def state_of(options: Mapping[str, Any]) -> State:
    """An empty cache, by the options of ``plan_options``, ``member_options`` and ``yielding_options``."""
    pool = Pool(selector=options["node_selector"], taints=options["pool_taint"])
    state = State(
        lambda: None,
        pool=pool,
        gate_image=options["gate_image"],
        sizing=options["sizing"],
        run_time_quantile=options["run_time_quantile"],
    )
    state.sources, state.has_shares = options["sources"], options["fair_shares"]
    state.pod_gangs.yielding.allow(*options["yielding"])
    return state
