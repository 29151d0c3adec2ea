"""``lockstep record``: the recorder, which keeps records of gangs after the gangs are deleted."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from lockstep.api.client.configuration import ConfigError, load_configuration
from lockstep.api.quantities import whole_bytes
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.durations import period_seconds
from lockstep.cli.options.listen_options import listen_options
from lockstep.cli.options.log_options import log_options
from lockstep.cli.recording.database_option import database_option
from lockstep.logs.setup import set_up_logs
from lockstep.process.stores.errors import StartError
from lockstep.recorder.database import Retention
from lockstep.recorder.process import RecorderSettings, keep_recording
from lockstep.recorder.serving import RecorderAddress


def _bytes(_context: click.Context, _option: click.Parameter, value: str) -> int:
    """Parse an amount of bytes such as 4Gi."""
    try:
        amount = whole_bytes(value)
    except (ValueError, ArithmeticError) as error:
        raise click.BadParameter(f"{value} is not an amount of bytes such as 4Gi") from error
    if amount < 1:
        raise click.BadParameter("must be above 0")
    return amount


@click.command(context_settings={"show_default": True})
@click.option(
    "--namespace",
    metavar="NAMESPACE",
    required=True,
    help="Namespace of the operator, whose ConfigMaps hold the new records.",
)
@database_option
@click.option(
    "--keep",
    metavar="TIME",
    default="400d",
    callback=period_seconds,
    help="How long records are kept after the end of their gang.",
)
@click.option(
    "--keep-users",
    metavar="TIME",
    default="90d",
    callback=period_seconds,
    help="How long records name the user after the end of their gang.",
)
@click.option(
    "--most-bytes",
    metavar="BYTES",
    default="4Gi",
    callback=_bytes,
    help="Maximum size of the file. If it is full, the oldest records are removed.",
)
@click.option(
    "--certificates",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder with tls.crt, tls.key and ca.crt. With it, the recorder also answers clients that have a certificate "
    "of this CA.",
)
@listen_options
@connection_options
@log_options()
def record(*, namespace: str, database: Path, keep: float, keep_users: float, most_bytes: int, **given: Any) -> None:
    """Store the operator's records of gangs in a file, until SIGTERM or SIGINT.

    For example: lockstep record --namespace lockstep-system --database /var/lib/lockstep/record.db
    """
    set_up_logs(given["log_level"], given["log_format"])
    retention = Retention(records=keep, users=keep_users, most_bytes=most_bytes)
    settings = RecorderSettings(namespace=namespace, path=database, retention=retention, address=_address(given))
    try:
        configuration = load_configuration(kubeconfig=given["kubeconfig"], context=given["context"])
        asyncio.run(keep_recording(configuration, settings))
    except (ConfigError, StartError) as error:
        raise click.ClickException(str(error)) from error


def _address(given: Mapping[str, Any]) -> RecorderAddress | None:
    """The address on which the recorder answers; None without certificates."""
    certificates = given["certificates"]
    if certificates is None:
        return None
    return RecorderAddress(host=given["listen_host"], port=given["listen_port"], certificates=certificates)
