"""``lockstep agent``: runs on every node, and writes the NodeBid of the node. It imports little, to stay small."""

import os
from pathlib import Path
from typing import Any

import click

from lockstep.agent.bid.connection import Server
from lockstep.agent.bid.offering import Differences
from lockstep.agent.bid.publishing import BidTerms
from lockstep.agent.measuring.sampler import LONGEST_PERIOD
from lockstep.agent.process import Assignment, run_agent
from lockstep.cli.end_signals import set_by_end_signals
from lockstep.cli.options.durations import as_seconds
from lockstep.cli.options.log_options import log_options
from lockstep.cli.options.number_range import NumberRange
from lockstep.logs.formats import LogFormat
from lockstep.logs.setup import set_up_logs

_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
# The least lifetime of a bid, in sampling periods. With a shorter one, the bid could expire between two samples.
_LEAST_LIFETIME_PERIODS = 3


@click.command(context_settings={"show_default": True}, hidden=True)
@click.option("--node", metavar="NAME", required=True, help="Name of the node, and of its NodeBid.")
@click.option(
    "--period",
    metavar="DURATION",
    default="10s",
    callback=as_seconds,
    help=f"Time between two measurements, {LONGEST_PERIOD / 60:g}m at most.",
)
@click.option(
    "--lifetime",
    metavar="DURATION",
    default="3m",
    callback=as_seconds,
    help="Time after which a bid that is not renewed expires; at least three periods.",
)
@click.option(
    "--relative-change",
    metavar="SHARE",
    type=NumberRange(min=0, max=10),
    default=0.1,
    help="Write a value again only if it has changed by more than this share, and by more than --absolute-change.",
)
@click.option(
    "--absolute-change",
    metavar="X",
    type=NumberRange(min=0, max=1000),
    default=0.05,
    help="Write a value again only if it has changed by more than this amount.",
)
@click.option(
    "--root",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("/"),
    help="Folder with the node's sys/fs/cgroup, run/systemd and dev.",
)
@click.option(
    "--proc",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("/proc"),
    help="Path of the node's /proc. The /proc of a container shows the whole node, too.",
)
@click.option(
    "--history",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("/var/lib/lockstep-agent/history.json"),
    help="File for the hourly history of the node's load and of its owner's presence. The folder must exist.",
)
@click.option(
    "--api-server", metavar="URL", help="Address of the API server. Default: the API server of the pod's own cluster."
)
@click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=_ACCOUNT / "token",
    help="File with the token for the API server. It is read again for each connection.",
)
@click.option(
    "--ca-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=_ACCOUNT / "ca.crt",
    help="File with the CA certificate of the API server.",
)
@log_options(LogFormat.JSON)
def agent(*, node: str, period: float, lifetime: float, log_level: str, log_format: LogFormat, **given: Any) -> None:
    """Measure a node, and write the node's offer to gangs into its NodeBid.

    For example: lockstep agent --node "$NODE_NAME" --period 30s
    """
    if not 0 < _LEAST_LIFETIME_PERIODS * period <= lifetime:
        raise click.UsageError(f"a lifetime of {lifetime:g} s is less than three periods of {period:g} s")
    if period > LONGEST_PERIOD:
        raise click.UsageError(f"--period is {period:g} s, and must be {LONGEST_PERIOD:g} s at most")
    set_up_logs(log_level, log_format)
    differences = Differences(relative=given["relative_change"], absolute=given["absolute_change"])
    run_agent(
        Assignment(node=node, period_seconds=period, root=given["root"], proc=given["proc"], history=given["history"]),
        Server(url=given["api_server"] or _own_cluster(), authority=given["ca_file"], token=given["token_file"]),
        BidTerms(lifetime_seconds=lifetime, differences=differences),
        set_by_end_signals(),
    )


def _own_cluster() -> str:
    """The URL of the API server, from the environment variables of a pod. This needs no DNS."""
    host, port = (os.environ.get(f"KUBERNETES_SERVICE_{part}", "") for part in ("HOST", "PORT"))
    if not (host and port):
        raise click.UsageError(
            "this process does not run in a pod: give the address of the API server with --api-server"
        )
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
