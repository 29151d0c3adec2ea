"""The tiers of the tests, by folder and name, and how the tests are shared out among processes.

A tier is a marker: ``pytest -m unit`` runs what needs no server. Of several processes (``pytest -n 4``) each takes one
file after the other, so that the tests of a file share what is expensive; long tests come first, and those that share
nothing are taken one by one.
"""

from fnmatch import fnmatch
from pathlib import Path
from tempfile import mkdtemp

import pytest
from xdist.scheduler import LoadFileScheduling

from rights.of_run import RightsOfRun

TESTS = Path(__file__).parent
# Long tests of which each is for itself.
ONE_BY_ONE = ("controlplane/long/*", "demo/test_demo.py")
# The first that matches counts. In this order they start: what is short comes last, to fill the gaps.
TIERS = {
    "long": (
        *ONE_BY_ONE,
        *("e2e/test_release.py", "e2e/nodes/*", "followed/*", "image/test_rootfs.py", "image/test_steps.py"),
    ),
    "server": ("controlplane/*", "sandbox/running/*", "charts/rendered/*", "charts/installed/*", "timeline/*"),
    "exhaustive": ("*_exhaustive.py", "*_properties.py"),
    "unit": ("*",),
}


def tier_of(file: str) -> str:
    """The tier of a file below this folder."""
    return next(tier for tier, patterns in TIERS.items() if any(fnmatch(file, pattern) for pattern in patterns))


def pytest_configure(config):
    """Check the operator's rights after the run, in the process that has begun it."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RightsOfRun(Path(mkdtemp(prefix="lockstep-audit-"))))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark every test with its tier, and let the tiers start in their order."""
    for item in items:
        item.add_marker(tier_of(str(item.path.relative_to(TESTS))))
    order = [*TIERS]
    items.sort(key=lambda item: order.index(tier_of(str(item.path.relative_to(TESTS)))))


def pytest_xdist_make_scheduler(config, log):
    """Share the tests out by file, in their order."""
    return ByFile(config, log)


class ByFile(LoadFileScheduling):
    """One file, one process; but long tests that share nothing are each for itself."""

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        is_alone = any(fnmatch(file.removeprefix("tests/"), pattern) for pattern in ONE_BY_ONE)
        return nodeid if is_alone else file
