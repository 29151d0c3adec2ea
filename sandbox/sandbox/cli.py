"""The command line: starts and stops a sandbox, and shows all sandboxes."""

import shlex
import sys
from collections.abc import Sequence

import click
from rich.console import Console

from sandbox import processes
from sandbox.binaries import CONTROLLERS, FOR_REAL_NODES, Resolver, Tool, releases, usual_release
from sandbox.component import ADDONS, Component
from sandbox.control_plane import Options, Sandbox, remove, start
from sandbox.errors import SandboxError
from sandbox.folder import Folder, folder_of, folders_in, state_folder
from sandbox.invocation import typed
from sandbox.processes import Lifetime
from sandbox.progress import OnConsole

SUMMARY = "A Kubernetes control plane on this machine: API server, etcd and what you add to them."

name_option = click.option(
    "--name", default="default", show_default=True, help="Name of the sandbox; several sandboxes can run at once."
)
kubernetes_option = click.option(
    "--kubernetes",
    default="",
    metavar="RELEASE",
    help=f"Release of Kubernetes: {', '.join(releases())}. "
    f"Default: LOCKSTEP_SANDBOX_KUBERNETES, else {usual_release()}.",
)


class AddonList(click.ParamType[frozenset[Component]]):
    """A list of addons with commas between them."""

    name = "ADDON,..."

    def convert(
        self, value: str | frozenset[Component], param: click.Parameter | None, ctx: click.Context | None
    ) -> frozenset[Component]:
        """Return the named addons. An unknown name is an error, which lists all addons."""
        if isinstance(value, frozenset):
            return value
        names = {name.strip() for name in value.split(",") if name.strip()}
        if unknown := names - ADDONS:
            self.fail(f"{', '.join(sorted(unknown))}: choose among {', '.join(sorted(ADDONS))}", param, ctx)
        return frozenset(Component(name) for name in names)


@click.group(help=SUMMARY)
def commands() -> None:
    """Hold the commands together."""


@commands.command()
@name_option
@click.option(
    "--nodes",
    default=12,
    show_default=True,
    type=click.IntRange(min=0),
    help="Number of ready nodes to create: n01, n02 and so on.",
)
@click.option("--with", "addons", type=AddonList(), default="", help=f"Add any of {', '.join(sorted(ADDONS))}.")
@kubernetes_option
def up(name: str, nodes: int, addons: frozenset[Component], kubernetes: str) -> None:
    """Start a sandbox. The first start downloads or builds its programs."""
    progress = OnConsole(Console(stderr=True))
    options = Options(name=name, nodes=nodes, addons=addons, lifetime=Lifetime.DETACHED, kubernetes=kubernetes)
    sandbox = start(options, progress)
    print(_welcome(sandbox, options))


@commands.command()
@name_option
def down(name: str) -> None:
    """Stop a sandbox and delete everything in it. If there is none, do nothing."""
    remove(folder_of(name, state_folder()))


@commands.command()
def status() -> None:
    """Show all sandboxes and the programs that run in each."""
    folders = folders_in(state_folder())
    if not folders:
        print(f"There is no sandbox; `{typed('up')}` starts one.")
        return
    print("\n\n".join(_described(folder) for folder in folders))


@commands.command()
@name_option
def env(name: str) -> None:
    """Print the line that makes kubectl use the sandbox, to evaluate in a shell."""
    folder = folder_of(name, state_folder())
    if folder.read_record() is None:
        raise SandboxError(f"There is no sandbox {name}; `{typed('up', '--name', name)}` starts it.")
    print(f"export KUBECONFIG={shlex.quote(str(folder.kubeconfig))}")


@commands.command()
@click.argument("tools", nargs=-1, type=click.Choice([tool.value for tool in Tool]))
@kubernetes_option
def fetch(tools: Sequence[str], kubernetes: str) -> None:
    """Find, download or build these programs. Default: all programs that a sandbox needs."""
    resolver = Resolver.of_environment(OnConsole(Console(stderr=True)), release=kubernetes)
    for tool in tools or (tool for tool in Tool if tool not in FOR_REAL_NODES and tool not in CONTROLLERS):
        resolver.resolve(Tool(tool))


def main() -> None:
    """Run the command line. After a SandboxError, print its sentence and exit with status 1."""
    try:
        commands(prog_name="python -m sandbox")
    except SandboxError as error:
        sys.exit(f"Error: {error}")


def _welcome(sandbox: Sandbox, options: Options) -> str:
    name = [] if options.name == "default" else ["--name", options.name]
    addons = "".join(f", {addon}" for addon in sorted(options.addons))
    return "\n".join(
        [
            f"The sandbox {sandbox.name} is up: {sandbox.server}, {options.nodes} nodes{addons}.",
            "Next:",
            f'  eval "$({typed("env", *name)})" && kubectl get nodes',
            f"  {typed('down', *name)}",
        ]
    )


def _described(folder: Folder) -> str:
    record = folder.read_record()
    present = set(processes.running(folder.root).values())
    if record is None:
        return f"{folder.name}: not completely started; `{typed('down', '--name', folder.name)}` deletes it"
    stopped = [component for component in record.components if component not in present]
    running = [component for component in record.components if component in present]
    return "\n".join(
        [
            f"{folder.name}: {'partly stopped' if stopped else 'running'} at {record.server}",
            f"  running     {', '.join(running) or 'nothing'}",
            *([f"  stopped     {', '.join(stopped)}"] if stopped else []),
            f"  kubeconfig  {folder.kubeconfig}",
        ]
    )
