"""What differs between releases of Kubernetes, as far as Lockstep sees it, as in the table of docs/install.md."""

import os
from typing import NamedTuple

from sandbox.binaries import release_of, usual_release

RELEASE = release_of(os.environ) or usual_release()
"""The release that this run tries."""


class Differences(NamedTuple):
    """What an API server of the release has without any gate turned on.

    ``keeps_declared_features``: a node can declare features, which pods may need. ``can_write_users``: a policy can
    write into objects who has created them. ``guards_allocations``: who gives a claim its devices needs a right of its
    own.
    """

    keeps_declared_features: bool
    can_write_users: bool
    guards_allocations: bool


_SINCE_1_36 = Differences(keeps_declared_features=True, can_write_users=True, guards_allocations=True)
OF_RELEASE = {
    "1.35": Differences(keeps_declared_features=False, can_write_users=False, guards_allocations=False),
    "1.36": _SINCE_1_36,
    "1.37": _SINCE_1_36,
}
HERE = OF_RELEASE[RELEASE]
