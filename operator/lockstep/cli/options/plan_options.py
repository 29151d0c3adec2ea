"""The options that affect plans. The operator has these options, and so do the commands that explain its plans."""

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
from lockstep.cli.options.switches import switch
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.sizing import SizingPolicy
from lockstep.facts.past_runs import USUAL_QUANTILE
from lockstep.facts.sizing import Sizing

Command = Callable[..., Any]

OLD_NAMES: Mapping[str, str] = {"keep-nodes-free-for": "hold-for", "keep-nodes-free-gangs": "holding-gangs"}
"""The old name of each option that was renamed."""

_KEEP_NODES_FREE_FOR = click.option(
    "--keep-nodes-free-for",
    metavar="DURATION",
    default="10m",
    callback=as_seconds,
    help="How long a gang keeps nodes free while it waits for gangs whose end is unknown. 0 means never.",
)
_KEEP_NODES_FREE_GANGS = click.option(
    "--keep-nodes-free-gangs",
    metavar="N",
    type=click.IntRange(0, 1024),
    default=4,
    help="Maximum number of gangs that keep nodes free at once.",
)
_SIZING = click.option(
    "--sizing",
    type=click.Choice([one.value for one in Sizing]),
    default=Sizing.BALANCED.value,
    callback=lambda _context, _option, value: Sizing(value),
    help="Size of gangs. Balanced: all gangs together end soon. Fastest: each gang ends soonest. Fewest: gangs have "
    "the fewest members.",
)
_PRICE_FACTOR = click.option(
    "--price-factor",
    metavar="NUMBER",
    type=NumberRange(0, 1000),
    default=SizingPolicy().factor,
    help="With the sizing Balanced, the price of a member is this factor times the number of gangs per node. A "
    "higher factor makes gangs smaller.",
)
_PROMISES = click.option(
    "--promises",
    type=click.Choice([one.value for one in Promises]),
    default=Promises.SLACK.value,
    callback=lambda _context, _option, value: Promises(value),
    help="Which latest start Lockstep promises to waiting gangs. The promises limit which gangs may start before "
    "others.",
)
_RUN_TIME_QUANTILE = click.option(
    "--run-time-quantile",
    metavar="NUMBER",
    type=NumberRange(0, 1),
    default=USUAL_QUANTILE,
    help="Plans use this quantile of the past run times of a template. 0 means the run time that the spec states.",
)
_FAIR_SHARES = switch("--fair-shares", "Whether groups of the FairShare take turns by their weights and past use.")
_GATE_IMAGE = click.option(
    "--gate-image",
    metavar="IMAGE",
    default="",
    help="Image with the command lockstep. Dealers and members that wait for other members run it. Default: none; "
    "gangs that need the image are refused.",
)


def plan_options(command: Command) -> Command:
    """Add the options for the rules of planning to a command."""
    rules = _SIZING(_PRICE_FACTOR(_PROMISES(_RUN_TIME_QUANTILE(_FAIR_SHARES(command)))))
    return _KEEP_NODES_FREE_FOR(_KEEP_NODES_FREE_GANGS(_with_old_names(rules)))


def member_options(command: Command) -> Command:
    """Add the options for the gate image and for the nodes of gangs to a command."""
    return pool_options(_GATE_IMAGE(command))


def rules_of(options: Mapping[str, Any]) -> PlanRules:
    """The rules of planning, made from the options of ``plan_options``."""
    return PlanRules(
        sizing=SizingPolicy(sizing=options["sizing"], factor=options["price_factor"]),
        promises=options["promises"],
        holds=HoldPolicy(seconds=options["keep_nodes_free_for"], gangs=options["keep_nodes_free_gangs"]),
    )


def state_of(options: Mapping[str, Any]) -> State:
    """An empty cache, made from the options of ``plan_options``, ``member_options`` and ``yielding_options``."""
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


def _with_old_names(command: Command) -> Command:
    """Add the old names of renamed options to a command. A value under the new name has priority."""
    for name, old in OLD_NAMES.items():
        command = _old_name(name, old)(command)
    return command


def _old_name(name: str, old: str) -> Callable[[Command], Command]:
    def pass_on(context: click.Context, _option: click.Parameter, value: str | None) -> None:
        if value is not None:
            click.echo(f"--{old} is the old name of --{name}, and is still accepted.", err=True)
            context.default_map = {**(context.default_map or {}), name.replace("-", "_"): value}

    # The old option is eager: its value must be set before the option with the new name gets its default.
    return click.option(f"--{old}", hidden=True, is_eager=True, expose_value=False, callback=pass_on)
