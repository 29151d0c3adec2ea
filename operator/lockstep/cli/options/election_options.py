"""The options of leader election. They have the names that Kubernetes' own components use."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import click

from lockstep.api.client.configuration import own_namespace
from lockstep.cli.options.durations import as_seconds
from lockstep.process.election.elector import ElectionTerms

_LONGEST_SECONDS = 24 * 60 * 60.0
# The jitter factor of client-go. As there, the renew deadline must be longer than this many retry periods.
_JITTER = 1.2

_OPTIONS = (
    click.option(
        "--leader-elect",
        type=bool,
        default=True,
        help="Whether a process plans and writes only while it holds the lease. Use false only for a single process.",
    ),
    click.option(
        "--leader-elect-lease-duration",
        metavar="DURATION",
        default="15s",
        callback=as_seconds,
        help="Time after which another process may take a lease that is not renewed.",
    ),
    click.option(
        "--leader-elect-renew-deadline",
        metavar="DURATION",
        default="10s",
        callback=as_seconds,
        help="How long the leader may write after its last renewal; less than the lease duration.",
    ),
    click.option(
        "--leader-elect-retry-period",
        metavar="DURATION",
        default="2s",
        callback=as_seconds,
        help="Pause between two renewals of the lease by the leader, or two reads by another process.",
    ),
    click.option("--leader-elect-resource-name", metavar="NAME", default="lockstep", help="Name of the lease."),
    click.option(
        "--leader-elect-resource-namespace",
        metavar="NAMESPACE",
        help="Namespace of the lease. Default: the pod's namespace, else lockstep-system.",
    ),
)


def election_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of leader election to a command."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), command)


def take_election_terms(options: dict[str, Any]) -> ElectionTerms | None:
    """Remove the options of leader election from ``options``; returns the terms of the election, or None without one.

    Raises ``click.UsageError`` if the times do not fit together.
    """
    is_wanted = options.pop("leader_elect")
    terms = ElectionTerms(
        lease_duration=options.pop("leader_elect_lease_duration"),
        renew_deadline=options.pop("leader_elect_renew_deadline"),
        retry_period=options.pop("leader_elect_retry_period"),
        name=options.pop("leader_elect_resource_name"),
        namespace=options.pop("leader_elect_resource_namespace") or own_namespace() or "lockstep-system",
    )
    if not is_wanted:
        return None
    _check(terms)
    return terms


def _check(terms: ElectionTerms) -> None:
    if not 1 <= terms.lease_duration <= _LONGEST_SECONDS:
        raise click.UsageError("--leader-elect-lease-duration must be from 1s to 24h")
    if terms.renew_deadline >= terms.lease_duration:
        raise click.UsageError("--leader-elect-renew-deadline must be less than --leader-elect-lease-duration")
    if terms.retry_period <= 0:
        raise click.UsageError("--leader-elect-retry-period must be more than 0")
    if terms.retry_period * _JITTER >= terms.renew_deadline:
        raise click.UsageError(f"--leader-elect-renew-deadline must be more than {_JITTER} retry periods")
