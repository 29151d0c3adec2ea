"""The command ``lockstep``: one file for each subcommand, imported when it is used."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from lockstep import __version__
from lockstep.cli.streams import standard_streams

_NAMES = (
    *("agent", "answers", "check", "explain", "init", "logs", "plan", "profile", "queue", "replay"),
    *("requeue", "resize", "run", "timeline"),
)
_IN_PODS = ("dealer", "gate", "next")
_RECORDING = ("history", "record")
_OFFLINE = ("papers", "simulate", "solve")
_COMMANDS: Mapping[str, str] = {
    **{name: f"lockstep.cli.{name}" for name in _NAMES},
    **{name: f"lockstep.cli.in_pods.{name}" for name in _IN_PODS},
    **{name: f"lockstep.cli.recording.{name}" for name in _RECORDING},
    **{name: f"lockstep.cli.offline.{name}" for name in _OFFLINE},
}

# In characters. No first sentence of a command's help is longer.
_LONGEST_SENTENCE = 200


class _Commands(click.Group):
    """The subcommands, imported one by one: the import of ``run`` alone takes longer than all the work of ``gate``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's own
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(_COMMANDS[cmd_name]), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence of each command's help in full; click would cut it to fit one line."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = [(name, command) for name, command in commands if command is not None and not command.hidden]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(_LONGEST_SENTENCE)) for name, command in shown])

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command as click does, and handle standard streams that are closed or full."""
        with standard_streams():
            return super().main(*args, **extra)


@click.group(
    cls=_Commands,
    context_settings={"auto_envvar_prefix": "LOCKSTEP", "help_option_names": ["-h", "--help"]},
    epilog="Pods and programs also run the commands agent, dealer, gate and solve. Each has a --help.",
)
@click.version_option(__version__, prog_name="lockstep")
def main() -> None:
    """Lockstep places gangs on Kubernetes: all pods of a gang, or none."""
