"""The options of simulations for the jobs and the nodes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from lockstep.cli.options.number_range import NumberRange
from lockstep.cli.options.simulating.elastic_options import change_terms_of, elastic_options
from lockstep.cli.options.simulating.log_file import print_too_large, read_log_file
from lockstep.cli.options.simulating.owner_options import owner_options, terms_of
from lockstep.simulation.comparison import Load
from lockstep.simulation.model.nodes import NodesError, slowdowns_of
from lockstep.simulation.scenario import Scenario
from lockstep.simulation.workload.groups import DemandingGroup, GroupsError, parse_groups
from lockstep.simulation.workload.malleable import Malleability
from lockstep.simulation.workload.run_times import StatedRunTimes

Command = Callable[..., Any]


def _slowdowns(_context: click.Context, _option: click.Parameter, value: str) -> NDArray[np.float64]:
    try:
        return slowdowns_of(value)
    except NodesError as error:
        raise click.BadParameter(str(error)) from error


def _each_once(_context: click.Context, _option: click.Parameter, values: Sequence[float]) -> Sequence[Load]:
    return tuple(dict.fromkeys(values)) or (None,)


_MODEL = click.option(
    "--model",
    type=click.Choice(["lublin99"]),
    default="lublin99",
    help="Published model by which jobs are drawn at random.",
)
_TRACE = click.option(
    "--trace",
    type=click.File("r", encoding="utf-8-sig", errors="replace"),
    help="File in the Standard Workload Format with recorded jobs, in place of --model.",
)
_JOBS = click.option(
    "--jobs", "count", metavar="N", type=click.IntRange(2, 1_000_000), default=1000, help="Maximum number of jobs."
)
_NODES = click.option(
    "--nodes",
    metavar="SPEC",
    callback=_slowdowns,
    default="128",
    help="Number of nodes, such as 128. 64x1,64x1.5 means 64 nodes of speed 1 and 64 nodes of speed 1.5.",
)
_LOADS = click.option(
    "--load",
    "loads",
    metavar="NUMBER",
    multiple=True,
    callback=_each_once,
    type=NumberRange(0.001, 10),
    help="Share of the nodes that the jobs would keep busy at their fixed sizes. The times between "
    "submissions are scaled to this share. You can repeat this option.",
)
_SIZES = click.option(
    "--sizes",
    metavar="F",
    type=NumberRange(1, 64),
    default=4.0,
    help="A job that the model or log gives r members may have r/F to r*F members.",
)
_SIZES_UP_ONLY = click.option(
    "--sizes-up-only", is_flag=True, help="A job that the model or log gives r members may have r to r*F members."
)
_SERIAL_SHARE = click.option(
    "--serial-share",
    metavar="NUMBER",
    type=NumberRange(0, 1),
    help="Speed-ups follow Amdahl's law with this serial share, in place of Downey's model.",
)
_RUN_TIMES = click.option(
    "--run-times",
    type=click.Choice([one.value for one in StatedRunTimes]),
    default=StatedRunTimes.EXACT.value,
    help="Run times that policies get: exact ones, users' overestimates, or guesses that are 20 % off.",
)
_TEMPLATES = click.option(
    "--templates",
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    help="Number of templates. Jobs of the model are runs of a template, and run times vary by 20 % from run to run.",
)
_QUANTILE = click.option(
    "--quantile",
    metavar="NUMBER",
    type=NumberRange(0, 1),
    help="Policies expect this quantile of the run times of a template's last 50 runs.",
)


def _demanding(_context: click.Context, _option: click.Parameter, value: str) -> Sequence[DemandingGroup]:
    try:
        return parse_groups(value)
    except GroupsError as error:
        raise click.BadParameter(str(error)) from error


_GROUPS = click.option(
    "--groups",
    metavar="WEIGHT@PART[,...]",
    callback=_demanding,
    default="",
    show_default=False,
    help="Groups that share the nodes. 3@0.2,1@0.8: a group of weight 3 submits 20 % of the jobs, and one of weight 1 "
    "submits 80 %. With --trace, all jobs of a user belong to one group.",
)


def scenario_options(command: Command) -> Command:
    """Add the options for jobs and nodes to a command."""
    return _MODEL(_TRACE(_JOBS(_NODES(owner_options(_LOADS(_of_sizes(_of_run_times(elastic_options(command)))))))))


def scenario_of(options: Mapping[str, Any]) -> Scenario:
    """Return the scenario of these options, without a load, and print which jobs of a trace are left out."""
    if options["trace"] is not None and options["templates"] is not None:
        raise click.UsageError("--templates can't be used with --trace: the jobs of a log have templates of their own.")
    trace = options["trace"]
    log = None if trace is None else read_log_file(trace)
    scenario = Scenario(
        slowdowns=options["nodes"],
        owners=options["owners"],
        terms=terms_of(options),
        elastic_share=options["elastic_share"],
        changing=change_terms_of(options),
        count=options["count"],
        load=None,
        malleability=Malleability(
            factor=options["sizes"], only_up=options["sizes_up_only"], serial_share=options["serial_share"]
        ),
        run_times=StatedRunTimes(options["run_times"]),
        quantile=options["quantile"],
        templates=options["templates"],
        groups=options["groups"],
        trace=None if log is None else log.jobs,
    )
    if log is not None:
        print_too_large(trace.name, log, scenario)
    return scenario


def _of_sizes(command: Command) -> Command:
    return _SIZES(_SIZES_UP_ONLY(_SERIAL_SHARE(command)))


def _of_run_times(command: Command) -> Command:
    return _RUN_TIMES(_TEMPLATES(_QUANTILE(_GROUPS(command))))
