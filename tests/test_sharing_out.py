"""Several processes share the tests of a run out among themselves."""

from types import SimpleNamespace

import pytest

from conftest import ByFile

FILES = ("controlplane/test_a.py", "controlplane/test_b.py", "controlplane/test_c.py", "engine/test_d.py")
TESTS_OF_A_FILE = 3
COLLECTION = [f"tests/{file}::test_{number}" for file in FILES for number in range(TESTS_OF_A_FILE)]


class Node:
    """A process of the run: it keeps what it was sent."""

    def __init__(self, number):
        self.gateway = SimpleNamespace(id=f"gw{number}")
        self.sent = []
        self.shutting_down = False

    def send_runtest_some(self, indices):
        self.sent += indices

    def shutdown(self):
        self.shutting_down = True

    def files(self):
        return [*dict.fromkeys(COLLECTION[index].split("::")[0].removeprefix("tests/") for index in self.sent)]


def shared_out(count):
    """The scheduler of so many processes, which have their first files."""
    config = SimpleNamespace(getvalue=lambda _name: [f"{count}*popen"], option=SimpleNamespace(loadscopereorder=False))
    scheduler = ByFile(config, log=None)
    for node in map(Node, range(count)):
        scheduler.add_node(node)
        scheduler.add_node_collection(node, COLLECTION)
    scheduler.schedule()
    return scheduler


def run_whole(scheduler, node):
    """Let one process run what it has and gets, until nothing is left for it."""
    done = 0
    while done < len(node.sent):
        scheduler.mark_test_complete(node, node.sent[done])
        done += 1


@pytest.mark.parametrize(
    ("count", "want"),
    [
        pytest.param(1, [[FILES[0]]], id="one begins at the start"),
        pytest.param(2, [[FILES[0]], [FILES[3]]], id="the last of two begins at the end"),
        pytest.param(3, [[FILES[0]], [FILES[1]], [FILES[3]]], id="the last of three begins at the end"),
    ],
)
def test_last_process_begins_with_tests_that_need_no_server(count, want):
    assert [node.files() for node in shared_out(count).nodes] == want


def test_process_that_has_no_more_tests_of_its_kind_goes_on_with_the_others():
    scheduler = shared_out(2)
    first, last = scheduler.nodes

    run_whole(scheduler, last)

    assert last.files() == [FILES[3], FILES[2], FILES[1]]
    assert last.shutting_down
    assert sorted(first.sent + last.sent) == [*range(len(COLLECTION))]
