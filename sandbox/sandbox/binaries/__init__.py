"""The programs of a control plane: their versions, and the sources from which this machine gets them."""

from sandbox.binaries.catalog import CONTROLLERS, releases, usual_release
from sandbox.binaries.resolve import Found, Origin, Resolver, release_of
from sandbox.binaries.tools import FOR_REAL_NODES, Tool

__all__ = [
    "CONTROLLERS",
    "FOR_REAL_NODES",
    "Found",
    "Origin",
    "Resolver",
    "Tool",
    "release_of",
    "releases",
    "usual_release",
]
