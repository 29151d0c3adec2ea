"""The tiers of the tests, by folder and name, and how the tests are shared out among processes.

A tier is a marker: ``pytest -m unit`` runs what needs no server. Of several processes (``pytest -n 4``) each takes one
file after the other, so that the tests of a file share what is expensive; long tests come first, and those that share
nothing are taken one by one. One process begins at the other end, with tests that need no server: these compute while
the others wait. Of the tier ``exhaustive`` a run asks a sample (``searches.py``).
"""

import gc
import signal
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

import searches
from live import last_needed
from live.leftovers import delete_leftovers
from rights.of_run import RightsOfRun

# Hypothesis draws the same cases every time and never looks at the clock: that says only how busy the machine is.
settings.register_profile("lockstep", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("lockstep")

# A shell that runs the tests in the background has them ignore Ctrl-C, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).parent
# Long tests of which each is for itself: those of one file take many minutes where all are asked.
ONE_BY_ONE = (
    *("controlplane/long/test_crash_points.py", "controlplane/long/test_pod_gang_crash_points.py"),
    "demo/test_demo.py",
)
# Folders of which all files share a control plane that is like no other: one process has them.
TOGETHER = ("charts/installed", "controlplane/schedulinggroups", "controlplane/tenantanswers")
# The first that matches counts. In this order they start: what is short comes last, to fill the gaps.
TIERS = {
    "long": (
        *("controlplane/long/*", "demo/test_demo.py"),
        *("e2e/test_release.py", "e2e/nodes/*", "e2e/controllers/*", "followed/*", "image/test_built.py"),
        "release/test_installed.py",
    ),
    "server": ("controlplane/*", "sandbox/running/*", "charts/rendered/*", "charts/installed/*", "timeline/*"),
    "exhaustive": ("*_exhaustive.py", "*_properties.py"),
    "unit": ("*",),
}

# Files of which each takes a minute or more in one process. They start first, so that none of them is left at the end.
LONGEST = (
    *("image/test_built.py", "controlplane/test_election.py", "controlplane/test_pace.py", "charts/installed/*"),
    *("e2e/test_release.py", "followed/*", "demo/test_demo.py", "controlplane/long/test_all_examples.py"),
    *("controlplane/long/test_agents.py", "controlplane/long/test_observing.py", "controlplane/tenantanswers/*"),
    "operator/cli/test_simulate.py",
)

# Files of which each function asks many cases of one kind: of these a run asks a sample.
SEARCHES = (
    *TIERS["exhaustive"],
    *("charts/installed/*", "charts/rendered/test_schema.py", "demo/test_demo.py"),
    # The operator is killed in other lives of a gang too, and at every write of a Gang on a fake API server
    # (operator/act/podgang/test_killed_at_writes.py).
    *("controlplane/long/test_crash_points.py", "controlplane/long/test_pod_gang_crash_points.py"),
    *("controlplane/test_crashes.py", "controlplane/test_ends_in_every_phase.py"),
    # What is done to the lease, to requests and to watches differs by a number, a code or a resource.
    *("controlplane/test_election.py", "controlplane/test_api_trouble.py", "controlplane/test_blind_own_kinds.py"),
    # A third of the examples is also applied at once, in controlplane/long/test_all_examples.py.
    *("controlplane/test_examples.py", "e2e/test_release.py"),
    # Each costs a second of processor time or more, and what differs by a parameter has cases without a server as well:
    # rules of Jobs, sentences of refusals, the step after which the operator is killed, the order in which ends are
    # observed. The files of podgangs that are not here use rights that no other test uses (tests/rights).
    *("controlplane/podgangs/test_kueue_groups.py", "controlplane/podgangs/test_leader_change.py"),
    *("controlplane/podgangs/test_leaving_nodes.py", "controlplane/podgangs/test_same_name_again.py"),
    *("controlplane/podgangs/test_single_source.py", "controlplane/test_ends.py", "controlplane/test_fresh_yes.py"),
    *("controlplane/test_loads.py", "controlplane/test_poison.py", "controlplane/test_preemption.py"),
    *("controlplane/test_sweeps_deleted.py", "controlplane/test_undoing.py"),
    # Each mend that is taken out is one way in which the price list may name no field.
    "tenants/test_mends_taken_out.py",
    *("engine/learning/test_work_fit.py", "engine/queue/owners/test_choosing.py"),
    *("engine/queue/promises/test_sliding.py", "engine/queue/promises/test_starving.py"),
    *("engine/queue/slots/test_kept_stretches.py", "engine/queue/why/test_changes.py"),
    *("operator/cli/test_streams.py", "operator/simulation/policies/test_policies.py"),
    # The process ends at each write of a change of size, and at each request in the life of a sweep. A proxy answers
    # each kind of request in twelve lives.
    *("operator/cycle/resizing/test_pod_gang_sizes_restarts.py", "operator/cycle/test_pages_at_each_request.py"),
    "operator/cycle/sweeps/test_killed_at_each_request.py",
    "operator/simulation/presence/*",
)


@cache
def tier_of(file: str) -> str:
    """The tier of a file below this folder."""
    return next(tier for tier, patterns in TIERS.items() if is_one_of(file, patterns))


@cache
def turn_of(file: str) -> tuple[bool, int]:
    """When a file starts: the least first."""
    return not is_one_of(file, LONGEST), [*TIERS].index(tier_of(file))


# The last ones that need a server.
LAST_WITH_A_SERVER = (True, [*TIERS].index("server"))


@cache
def is_search(file: str) -> bool:
    """Whether a run asks a sample of the cases of this file."""
    return is_one_of(file, SEARCHES)


def is_one_of(file: str, patterns: Iterable[str]) -> bool:
    """Whether a file below this folder matches one of these patterns."""
    return any(fnmatch(file, pattern) for pattern in patterns)


def pytest_configure(config):
    """Check the operator's rights after the run, in the process that has begun it."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RightsOfRun(Path(mkdtemp(prefix="lockstep-audit-"))))


def pytest_addoption(parser):
    """Let a run make its long searches whole."""
    searches.add_options(parser)


def pytest_report_header(config):
    """Say how much of its long searches a run makes."""
    return searches.described(config)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect tests without a search for garbage; later searches leave out the half million objects that stay."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark every test with its tier, let the tiers start in their order, and leave out what a sample leaves out."""
    names = {path: str(path.relative_to(TESTS)) for path in {item.path for item in items}}
    files = {item: names[item.path] for item in items}
    for item, file in files.items():
        item.add_marker(tier_of(file))
    items.sort(key=lambda item: turn_of(files[item]))
    searched = [item for item in items if is_search(files[item]) or item.get_closest_marker("search")]
    left_out = {*searched} - searches.sampled(config, searched)
    items[:] = [item for item in items if item not in left_out]
    searches.ask_few_examples(config, items)
    config.hook.pytest_deselected(items=[item for item in searched if item in left_out])


@pytest.fixture(scope="module", autouse=True)
def nothing_left(request):
    """Leave nothing of a file on a control plane that others share, once the file's own fixtures have ended."""
    yield
    delete_leftovers(request.config, str(request.path.relative_to(TESTS)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Stop servers once only tests without a server are to come: to be idle costs each a fiftieth of a processor."""
    result = yield
    if nextitem is not None and turn_of(str(nextitem.path.relative_to(TESTS))) > LAST_WITH_A_SERVER:
        last_needed.end(item.config)
    return result


def pytest_xdist_make_scheduler(config, log):
    """Share the tests out by file, in their order."""
    return ByFile(config, log)


class ByFile(LoadFileScheduling):
    """One file, one process; but long tests that share nothing are each for itself, and some folders stay together.

    The last of several processes takes what is last, so that tests that compute run beside tests that wait.
    """

    def _assign_work_unit(self, node):
        if len(self.nodes) > 1 and node is self.nodes[-1]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid):
        file = super()._split_scope(nodeid)
        name = file.removeprefix("tests/")
        if is_one_of(name, ONE_BY_ONE):
            return nodeid
        return next((folder for folder in TOGETHER if name.startswith(f"{folder}/")), file)
