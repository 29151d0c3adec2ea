"""The command ``lockstep``: one file for each subcommand."""

import click

from lockstep import __version__
from lockstep.cli.check import check
from lockstep.cli.run import run
from lockstep.cli.solve import solve


@click.group(context_settings={"auto_envvar_prefix": "LOCKSTEP", "help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lockstep")
def main() -> None:
    """Lockstep places gangs on Kubernetes: all pods of a gang, or none."""


main.add_command(check)
main.add_command(run)
main.add_command(solve)
