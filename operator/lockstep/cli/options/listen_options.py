"""The options for the addresses on which a command listens."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]

EVERYWHERE = "0.0.0.0"  # noqa: S104 - clients outside of the pod connect to it


def host_option(name: str, default: str, meaning: str) -> Callable[[Command], Command]:
    """Add an option for an address of this machine to a command."""
    return click.option(name, metavar="ADDRESS", default=default, help=meaning)


def port_option(name: str, default: int, meaning: str) -> Callable[[Command], Command]:
    """Add an option for a port to a command. Port 0 means any free port."""
    return click.option(name, metavar="PORT", type=click.IntRange(0, 65_535), default=default, help=meaning)


_HOST = host_option("--listen-host", EVERYWHERE, "Address to listen on.")
_PORT = port_option("--listen-port", 8443, "Port to listen on.")


def listen_options(command: Command) -> Command:
    """Add ``--listen-host`` and ``--listen-port`` to a command that listens on a single address."""
    return _HOST(_PORT(command))
