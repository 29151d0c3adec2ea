"""Who used the processors: control groups of both versions, pods that come and go, and files of every kind."""

import os

import pytest

from builders.node_files import NodeFiles
from lockstep.agent.measuring.sampler import LONGEST_PERIOD, Sampler

GANG, OTHER = "0a1b2c3d-0000-4000-8000-00000000000a", "0a1b2c3d-0000-4000-8000-00000000000b"

LAYOUTS = [
    pytest.param({"layout": layout, "driver": driver, "kubelet_root": root}, id=f"{layout}, {driver}, {root or '/'}")
    for layout in ("v1", "hybrid", "v2")
    for driver in ("cgroupfs", "systemd")
    for root in ("", "/foo")
]


@pytest.fixture
def node(tmp_path):
    return NodeFiles(tmp_path)


def sampler_of(node):
    return Sampler(root=node.root, proc=node.proc)


def sampled(sampler, at, *gang):
    _, usage = sampler.sample(at, gang)
    return usage


@pytest.mark.parametrize("layout", LAYOUTS)
def test_use_is_divided_among_members_other_pods_and_the_host(tmp_path, layout):
    node = NodeFiles(tmp_path / "a folder", **layout)
    node.add(GANG)
    node.add(OTHER, pod_class="")
    sampler = sampler_of(node)
    assert sampler.sample(0, [GANG]) is None

    node.spend({GANG: 8, OTHER: 3}, host=4, steal=1, waited=6)
    usage = sampled(sampler, 10, GANG)

    assert usage.cores_total == 2
    assert usage.cores_gang == pytest.approx(0.8)
    assert usage.cores_other_pods == pytest.approx(0.3)
    assert usage.cores_host == pytest.approx(0.4)
    assert usage.steal == pytest.approx(0.1)
    assert usage.free == pytest.approx(0.4)
    assert usage.cpu_pressure == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("layout", "want_source"), [("v1", "cgroup v1"), ("hybrid", "cgroup v1, hybrid"), ("v2", "cgroup v2")]
)
def test_source_says_which_version_is_read(tmp_path, layout, want_source):
    sampler = sampler_of(NodeFiles(tmp_path, layout=layout))
    sampler.sample(0, [])

    assert sampler.source == want_source


def test_mount_outside_of_the_root_is_another_s(tmp_path):
    node = NodeFiles(tmp_path / "host")
    own = NodeFiles(tmp_path / "own")
    mounts = [(files.proc / "self" / "mountinfo").read_text() for files in (node, own)]
    (node.proc / "self" / "mountinfo").write_text("".join(mounts))
    sampler = sampler_of(node)
    sampler.sample(0, [])

    own.spend(host=7)
    node.spend(host=5)

    assert sampled(sampler, 10).cores_host == pytest.approx(0.5)


def test_member_that_came_in_between_counts_from_its_beginning(node):
    sampler = sampler_of(node)
    sampler.sample(0, [])

    node.add(GANG)
    node.spend({GANG: 5})

    assert sampled(sampler, 10, GANG).cores_gang == pytest.approx(0.5)


def test_pod_that_is_known_as_a_member_later_counts_from_then_on(node):
    node.add(GANG)
    node.spend({GANG: 1000})
    sampler = sampler_of(node)
    sampler.sample(0, [])

    node.spend({GANG: 5})
    assert sampled(sampler, 10, GANG).cores_gang == 0
    node.spend({GANG: 4})
    assert sampled(sampler, 20, GANG).cores_gang == pytest.approx(0.4)


def test_member_that_went_is_no_negative_use(node):
    node.add(GANG, OTHER)
    sampler = sampler_of(node)
    sampler.sample(0, [GANG])

    node.spend({GANG: 5})
    node.remove(GANG)
    usage = sampled(sampler, 10, GANG)

    assert usage.cores_gang == 0
    assert usage.cores_other_pods == pytest.approx(0.5), "its last use stays with the class of its pod"


def test_counter_that_went_backwards_began_anew(node):
    node.add(GANG)
    node.spend({GANG: 50})
    sampler = sampler_of(node)
    sampler.sample(0, [GANG])

    node.spend(host=9)
    node.count(node.folder_of(GANG), 3)
    node.spend(host=0)
    node.count(node.folder_of(GANG), 3)
    usage = sampled(sampler, 10, GANG)

    assert usage.cores_gang == 0, "no more than all pods have used"
    assert usage.cores_host == pytest.approx(0.9)


def test_thousands_of_pods_are_sums_like_others(node):
    uids = [f"{number:08x}-0000-4000-8000-000000000000" for number in range(2000)]
    node.add(*uids)
    sampler = sampler_of(node)
    sampler.sample(0, uids[:1000])

    node.spend(dict.fromkeys(uids, 0.005))
    usage = sampled(sampler, 10, *uids[:1000])

    assert usage.cores_gang == pytest.approx(0.5)
    assert usage.cores_other_pods == pytest.approx(0.5)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x00\xff\xfe" * 50, id="binary"),
        pytest.param(b"usage_usec -5\n-5", id="negative"),
        pytest.param(b"usage_usec 1e9\n1e9", id="a float"),
        pytest.param(b"9" * 100_000, id="huge"),
        pytest.param("usage_usec ٣\n٣".encode(), id="digits of another script"),
        pytest.param(b"usage_u", id="half a line"),
    ],
)
@pytest.mark.parametrize("layout", ["v1", "v2"])
def test_counter_that_is_no_number_is_no_use(tmp_path, layout, text):
    node = NodeFiles(tmp_path, layout=layout)
    node.add(GANG)
    sampler = sampler_of(node)
    sampler.sample(0, [GANG])

    node.spend({GANG: 5}, host=1)
    [counter] = node.folder_of(GANG).iterdir()
    counter.write_bytes(text)

    assert sampled(sampler, 10, GANG).cores_gang == 0


@pytest.mark.parametrize("seconds", [10**30, 2**64, 10**24 + 0.5])
def test_counter_beyond_64_bits_gives_no_pod_more_than_there_is(node, seconds):
    node.add(GANG)
    sampler = sampler_of(node)
    sampler.sample(0, [GANG])

    node.spend(host=30, steal=seconds)
    node.count(node.folder_of(GANG), seconds)
    usage = sampled(sampler, 10, GANG)

    parts = usage.cores_gang + usage.cores_other_pods + usage.cores_host + usage.steal + usage.free
    assert parts == pytest.approx(usage.cores_total)
    assert min(usage.cores_gang, usage.cores_other_pods, usage.cores_host, usage.free) >= 0


def test_node_whose_counter_is_gone_for_a_moment_is_measured_over_twice_as_long(node):
    sampler = sampler_of(node)
    sampler.sample(0, [])
    counter = node.mount / "cpu.stat"

    counter.rename(counter.with_name("aside"))
    assert sampler.sample(10, []) is None
    node.spend(host=10)

    assert sampled(sampler, 20).cores_host == pytest.approx(0.5)


def test_pipe_in_the_place_of_a_counter_is_not_waited_for(node):
    node.add(GANG)
    sampler = sampler_of(node)
    [counter] = node.folder_of(GANG).iterdir()
    counter.unlink()
    os.mkfifo(counter)

    assert sampler.sample(0, [GANG]) is None
    assert sampler.source == "cgroup v2"


@pytest.mark.parametrize("gone", ["stat", "self/mountinfo"])
def test_node_without_its_files_is_not_measured(node, gone):
    (node.proc / gone).unlink()
    sampler = sampler_of(node)

    assert [sampler.sample(at, []) for at in (0, 10)] == [None, None]


def test_kernel_without_pressure_says_nothing_of_it(node):
    sampler = sampler_of(node)
    sampler.sample(0, [])
    node.spend(waited=5)
    (node.proc / "pressure" / "cpu").unlink()

    assert sampled(sampler, 10).cpu_pressure is None


def test_measurement_that_comes_late_at_the_longest_period_still_counts(node):
    sampler = sampler_of(node)
    sampler.sample(0, [])

    assert sampler.sample(1.2 * LONGEST_PERIOD, []) is not None


def test_time_that_was_not_measured_is_not_reported(node):
    sampler = sampler_of(node)
    sampler.sample(0, [])
    node.spend(host=1)

    assert sampler.sample(1000, []) is None
    assert sampler.sample(1000, []) is None, "no time has passed"
