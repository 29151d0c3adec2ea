"""Every command that the documentation gives is typed in by a test, or says why it can't be."""

import shlex

import pytest
import yaml

from docs.markdown import PAGES, ROOT, fences, first_cells, name_of
from lockstep.cli.offline.simulate import simulate

README = ROOT / "README.md"
QUICK_START = ROOT / "docs" / "quick-start.md"
GUIDE = ROOT / "docs" / "install.md"
# What a block's mark says. Few are meant to be: each takes its commands from the tests.
MARKS = {
    "": "a test types it in",
    "stays": "so too, and its last command goes on until Ctrl-C",
    "kind": "needs kind and Docker",
    "docker": "needs Docker, and a registry",
    "pods": "needs nodes that really run pods",
    "autoscaler": "needs a cluster autoscaler",
    "pip": "fetches packages",
    "sweeps": "needs the kind GangSweep: tests/controlplane/test_sweeps.py types it in",
    "once": "a test types it in, but what it shows was seen once, of a queue that no test makes again",
}
FOLLOWED = ("", "stays", "once", "sweeps")
# Who types in the blocks of a page.
FOLLOWED_BY = {
    "README.md": "each run of CI",
    "docs/quick-start.md": "tests/followed/test_quick_start.py, and this file",
    "docs/install.md": "tests/followed/test_install_guide.py",
    "docs/operations/members.md": "tests/controlplane/test_operations_pages.py",
    "docs/operations/nodes.md": "tests/controlplane/test_operations_pages.py",
    "docs/operations/running.md": "tests/controlplane/test_operations_pages.py",
    "docs/operations/what-gangs-say.md": "tests/controlplane/test_operations_pages.py",
    "docs/guide.md": "tests/controlplane/test_command_pages.py; tests/docs/test_guide.py what has to be on a node",
    "docs/agent.md": "tests/controlplane/test_command_pages.py",
    "docs/run-your-job.md": "tests/controlplane/test_command_pages.py",
    "docs/what-happens-when.md": "tests/controlplane/test_command_pages.py",
    "docs/command-line.md": "tests/controlplane/test_command_pages.py",
    "docs/labels.md": "tests/controlplane/test_command_pages.py",
    "docs/requests.md": "tests/docs/test_requests.py",
    "docs/why.md": "tests/controlplane/test_command_pages.py",
    "docs/for-tenants.md": "tests/controlplane/tenantanswers/test_page.py",
    "docs/shared-clusters.md": "tests/charts/rendered/test_shared_clusters.py",
    "docs/decisions.md": "no test, since it takes minutes; this file reads the options",
    "CONTRIBUTING.md": "the author of a change of dependencies",
}
RUNBOOKS = ROOT / "docs" / "runbooks"  # tests/controlplane/test_runbooks.py types in what looks and changes nothing
WANT_NOT_FOLLOWED = [
    (
        "docs/autoscaling.md",
        "autoscaler",
        ["helm upgrade", "--set operator.provisioningRequests=best-effort-atomic-scale-up.autoscaling.x-k8s.io"],
    ),
    ("docs/autoscaling.md", "autoscaler", ["$ kubectl get"]),
    ("docs/command-line.md", "pods", ["$ lockstep logs"]),
    ("docs/install.md", "docker", ["make image", "skopeo copy"]),
    ("docs/install.md", "pods", ["kubectl --namespace"]),
    ("docs/labels.md", "pods", ["kubectl logs"]),
    ("docs/operations/running.md", "pip", ["pip install"]),
    (
        "docs/operations/running.md",
        "pods",
        ["leader=$(kubectl -n", "kubectl -n", "curl http://localhost:8081/debug/snapshot"],
    ),
    ("docs/operations/sharing.md", "pods", ["kubectl exec", "kubectl exec", "kubectl exec"]),
    ("docs/pace.md", "pods", ["$ kubectl describe"]),
    ("docs/quick-start.md", "kind", ["make kind-up", "helm install"]),
    # tests/docs/test_notice.py runs it beside programs that pretend.
    (
        "docs/run-your-job.md",
        "pods",
        [
            "notice=$(cat /etc/lockstep/resize)",
            "if [",
            "size=${notice% *}",
            'echo "goes',
            "write-checkpoint",
            '[ "$LOCKSTEP_RANK"',
            "fi",
        ],
    ),
]


def commands(page):
    return [fence for fence in fences(page) if fence.language in ("sh", "console")]


def typed(fence):
    """The lines of a block that a user types, two or three words of each."""
    lines = fence.text.splitlines()
    shown = [line for line in lines if line.startswith("$ ")] if fence.language == "console" else lines
    return [" ".join(line.split()[: 3 if fence.language == "console" else 2]) for line in shown]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_mark_is_known(page):
    assert {fence.mark for fence in commands(page)} <= set(MARKS)


def test_what_no_test_types_in_is_listed():
    found = [
        (name_of(page), fence.mark, typed(fence))
        for page in PAGES
        for fence in commands(page)
        if fence.mark not in FOLLOWED
    ]

    assert found == WANT_NOT_FOLLOWED


def test_every_page_with_commands_is_followed():
    found = {
        name_of(page)
        for page in PAGES
        if page.parent != RUNBOOKS and {fence.mark for fence in commands(page)} & set(FOLLOWED)
    }

    assert found == set(FOLLOWED_BY)


@pytest.mark.parametrize("command", [fence.text for fence in commands(ROOT / "docs" / "decisions.md")])
def test_simulation_takes_the_options_of_its_page(command):
    program, name, *options = shlex.split(command)

    assert (program, name) == ("lockstep", simulate.name)
    context = simulate.make_context(name, list(options))
    if options[0] in simulate.commands:
        simulate.commands[options[0]].make_context(options[0], options[1:], parent=context)


def test_readme_has_its_two_commands_only():
    assert [typed(fence) for fence in commands(README)] == [["make demo", "make test"]]


def test_every_other_block_of_the_quick_start_is_typed_in():
    # A cluster's commands are those of the guide.
    sections = ("## In a sandbox", "## On your cluster", "## A first gang")
    followed = [fence for section in sections for fence in fences(QUICK_START, section)]

    assert [fence for fence in commands(QUICK_START) if fence.mark in FOLLOWED] == [
        fence for fence in followed if fence in commands(QUICK_START)
    ]


def test_quick_start_installs_as_the_guide_does():
    [shown] = fences(QUICK_START, "## On your cluster")
    [guide] = fences(GUIDE, "## Install the chart")[:1]

    assert [line.partition(" #")[0].rstrip() for line in shown.text.splitlines()] == guide.text.splitlines()


def test_every_value_worth_knowing_is_one_of_the_charts():
    values = {cell.partition(".")[0] for cell in first_cells(GUIDE, "## Values worth knowing")}

    assert values <= set(yaml.safe_load((ROOT / "charts" / "lockstep" / "values.yaml").read_text()))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_upgrades_keep_the_values_and_take_new_defaults(page):
    """With ``--reuse-values`` the values of a newer chart are missing, and its templates fail."""
    assert " --reuse-values" not in page.read_text()
