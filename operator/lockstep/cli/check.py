"""``lockstep check``: checks that gangs are placed."""

import asyncio

import click

from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.configuration import ConfigError, load_configuration
from lockstep.cli.options.answer_options import waiting_with_progress
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.durations import as_seconds
from lockstep.process.start.check import CheckError
from lockstep.process.start.check import check as place_a_gang


@click.command(context_settings={"show_default": True})
@connection_options
@click.option("--namespace", metavar="NAME", default="default", help="Namespace for the gang.")
@click.option(
    "--image",
    metavar="IMAGE",
    default="registry.k8s.io/pause:3.10",
    help="Image of the member. Any image that your cluster admits is fine, since the member only has to be placed.",
)
@click.option(
    "--timeout", metavar="DURATION", callback=as_seconds, default="1m", help="Time after which the check fails."
)
def check(kubeconfig: str | None, context: str | None, *, namespace: str, image: str, timeout: float) -> None:
    """Submit a gang of one small member, wait until it is placed, and delete it.

    For example: lockstep check --namespace default --timeout 2m
    """
    try:
        configuration = load_configuration(kubeconfig=kubeconfig, context=context)
        with waiting_with_progress("Waiting until a gang is placed") as waiting:
            placing = place_a_gang(configuration, namespace=namespace, image=image, within=timeout, waiting=waiting)
            seconds = asyncio.run(placing)
    except (ApiUnavailableError, CheckError, ConfigError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Lockstep works: a gang in {namespace} was placed after {seconds:.1f} s.")
