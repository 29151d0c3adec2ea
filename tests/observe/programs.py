"""Prometheus and promtool, as the sandbox has its programs: found on this machine, downloaded or built."""

from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent


def program(tool: Tool) -> str:
    """The path of the program, which `make test` has ready."""
    return str(Resolver.of_environment(Silent()).resolve(tool).path)
