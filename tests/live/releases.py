"""What differs between releases of Kubernetes, as far as Lockstep sees it, as in the table of docs/install.md."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from sandbox import Component
from sandbox.binaries import release_of, usual_release

RELEASE = release_of(os.environ) or usual_release()
"""The release that this run tries."""
_POLICIES = "admissionregistration.k8s.io"


class Differences(NamedTuple):
    """What a release has.

    ``mutating_policies``: the version of the policies that change objects; ``v1`` is there without being turned on.
    ``keeps_declared_features``: a node can declare features, which pods may need. ``guards_allocations``: who gives a
    claim its devices needs a right of its own.
    """

    mutating_policies: str
    keeps_declared_features: bool
    guards_allocations: bool

    @property
    def can_write_users(self) -> bool:
        """Whether the policies of the chart can be there, which write into a gang who has created it."""
        return self.mutating_policies == "v1"

    @property
    def flags(self) -> Mapping[Component, tuple[str, ...]]:
        """What turns on what tests need."""
        if self.can_write_users:
            return {}
        served = f"--runtime-config={_POLICIES}/{self.mutating_policies}=true"
        return {Component.API_SERVER: ("--feature-gates=MutatingAdmissionPolicy=true", served)}


OF_RELEASE = {
    "1.35": Differences("v1beta1", keeps_declared_features=False, guards_allocations=False),
    "1.36": Differences("v1", keeps_declared_features=True, guards_allocations=True),
    "1.37": Differences("v1", keeps_declared_features=True, guards_allocations=True),
}
HERE = OF_RELEASE[RELEASE]
MUTATING_POLICIES = f"/apis/{_POLICIES}/{HERE.mutating_policies}"
