"""The programs a control plane is made of: which versions, and where this machine has them from."""

from sandbox.binaries.catalog import Tool
from sandbox.binaries.resolve import Found, Origin, Resolver

__all__ = ["Found", "Origin", "Resolver", "Tool"]
