"""Several operators, one of which decides: whatever befalls them and their lease, no two ever write at once."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from eventually import eventually
from live.arena import GANGS, Arena
from live.electorate import LEASE, Voter, overlaps, tenures
from live.proxy import Injected, proxied
from live.work import has_succeeded, steady_work
from sandbox import ApiError, Sandbox, generic_nodes

NAMESPACE = "work"
# Who waits for the end of such a lease leads no more in this test.
OUTLASTS_THE_TEST = ("--leader-elect-lease-duration=1h", "--leader-elect-renew-deadline=59m")
UNUSED = {"spec": None, "metadata": {"annotations": None}}


@pytest.fixture(scope="module")
def plane(installed) -> Iterator[Sandbox]:
    """The control plane with nodes; as in every run of tests, it writes down who asks for what."""
    installed.create_namespace(NAMESPACE)
    arena = Arena(installed, NAMESPACE)
    arena.create_nodes(generic_nodes(8))
    yield installed
    arena.close()
    # What has led here last may have been killed, and no other file waits for the end of its lease.
    installed.request("PATCH", LEASE, UNUSED)


@pytest.fixture
def voters(plane, operator_kubeconfig, tmp_path, background) -> Iterator["Electorate"]:
    """Operators that come and go while there is work; at the end the audit log is read."""
    plane.request("PATCH", LEASE, UNUSED)
    electorate = Electorate(plane, operator_kubeconfig, tmp_path)
    try:
        with steady_work(plane, NAMESPACE, background):
            yield electorate
        eventually(partial(assert_all_succeed, plane))
    finally:
        electorate.end()
        Arena(plane, NAMESPACE).close()
    every = tenures(plane)
    assert overlaps(every) == []
    names = {voter.name for voter in electorate.has_led}
    assert names <= {tenure.name for tenure in every if tenure.writes > 10}


class Electorate:
    """Operators of one test."""

    def __init__(self, plane: Sandbox, account: Path, folder: Path) -> None:
        self.plane = plane
        self._account = account
        self._folder = folder
        self.all: list[Voter] = []
        self.has_led: list[Voter] = []

    def start(self, count: int = 1, *options: str, account: Path | None = None) -> list[Voter]:
        """Start so many, one after the other; the first of them leads, unless there is a leader."""
        return [self._start(account or self._account, options) for _ in range(count)]

    def until_one_works(self, *among: Voter) -> Voter:
        """Wait until one of them leads and has placed a gang since it was asked first."""
        before: dict[str, float] = {}

        def works(voter: Voter) -> bool:
            writes = voter.writes()
            return writes > before.setdefault(voter.name, writes) + 15

        # Seldom, since each question costs an operator as much as a gang.
        leader = eventually(lambda: next((voter for voter in among or self.all if works(voter)), None), every=0.5)
        self.has_led.append(leader)
        return leader

    def end(self) -> None:
        """Leave no process behind."""
        for voter in self.all:
            voter.process.end()

    def _start(self, account: Path, options: Sequence[str]) -> Voter:
        self.all.append(Voter(account, self._folder, *options))
        eventually(lambda: lease(self.plane).get("holderIdentity"))
        return self.all[-1]


def test_standby_is_ready_and_decides_nothing(voters):
    leader, standby = voters.start(2)
    assert voters.until_one_works() is leader

    assert standby.process.is_ready()
    assert (standby.process.metrics()["lockstep_leader"], standby.process.writes()) == (0, 0)
    eventually(lambda: standby.process.metrics()['lockstep_gangs{state="complete"}'] > 0)


@pytest.mark.search("leaders that are killed")
def test_killed_leader_is_followed(voters):
    voters.start(3)
    leader = voters.until_one_works()
    leader.process.kill()

    second = voters.until_one_works()
    second.process.kill()

    voters.until_one_works()


def test_leader_that_stops_hands_over_at_once(voters):
    first, second = voters.start(2, *OUTLASTS_THE_TEST)
    voters.until_one_works(first)
    before = lease(voters.plane)
    assert first.process.stop() == 0

    voters.until_one_works(second)
    after = lease(voters.plane)
    assert after["leaseTransitions"] == before["leaseTransitions"] + 1


@pytest.mark.search("leaders that hear nothing")
def test_leader_that_was_frozen_past_its_lease_writes_nothing(voters):
    first, second = voters.start(2)
    voters.until_one_works(first)
    first.freeze()
    voters.until_one_works(second)
    first.thaw()

    assert first.process.reap() == 1
    assert "lost the lease lockstep-system/lockstep" in first.process.log_tail(1)
    voters.until_one_works(second)


@pytest.mark.search("leaders that hear nothing")
@pytest.mark.parametrize("are_carried_out", [True, False], ids=["answers do not arrive", "requests do not arrive"])
def test_leader_that_is_cut_off_ends(voters, background, tmp_path, are_carried_out):
    with proxied(voters.plane, voters._account, tmp_path / "behind", background) as proxy:
        [first] = voters.start(account=proxy.kubeconfig)
        voters.until_one_works(first)
        voters.start(2)
        proxy.fault = lambda _verb, _resource: Injected(0, is_lost=are_carried_out)

        assert first.process.reap() == 1
        voters.until_one_works()


@pytest.mark.search("leaders that are killed")
def test_all_are_started_again_at_once(voters):
    killed = voters.start(2)
    voters.until_one_works()
    for voter in killed:
        voter.process.crash()
    for voter in killed:
        voter.process.reap()
    voters.start(2)

    voters.until_one_works()


def test_lease_that_is_missing_is_made_by_the_first(voters):
    voters.plane.request("DELETE", LEASE)

    [only] = voters.start()

    assert voters.until_one_works() is only


def test_lease_that_is_deleted_is_made_anew_by_its_holder(voters):
    first, second = voters.start(2)
    voters.until_one_works(first)
    voters.plane.request("DELETE", LEASE)
    eventually(lambda: lease(voters.plane).get("holderIdentity", "").startswith(first.name))

    assert voters.until_one_works() is first
    assert not second.leads


def test_lease_that_a_user_gives_to_another_ends_its_holder(voters):
    first, _ = voters.start(2)
    voters.until_one_works(first)
    voters.plane.request("PATCH", LEASE, {"spec": {"holderIdentity": "somebody"}})

    assert first.process.reap() == 1
    voters.until_one_works()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"metadata": {"annotations": {"a": "b"}}}, id="an annotation"),
        pytest.param(
            {
                "spec": {
                    "leaseDurationSeconds": 2**31 - 1,
                    "leaseTransitions": 2**31 - 1,
                    "renewTime": "1970-01-01T00:00:00.000000Z",
                    "acquireTime": None,
                }
            },
            id="numbers and times",
        ),
        pytest.param({"spec": {"holderIdentity": "", "leaseDurationSeconds": 1}}, id="as if given back"),
        pytest.param(UNUSED, id="nothing is left"),
    ],
)
def test_lease_that_no_other_process_takes_stays_with_its_holder(voters, change):
    first, _ = voters.start(2)
    voters.until_one_works(first)
    voters.plane.request("PATCH", LEASE, change)
    eventually(lambda: lease(voters.plane).get("holderIdentity", "").startswith(first.name))
    before = lease(voters.plane)["renewTime"]
    eventually(lambda: lease(voters.plane)["renewTime"] != before)

    assert voters.until_one_works() is first
    first.process.kill()
    voters.until_one_works()


def assert_all_succeed(api):
    gangs = api.request("GET", f"{GANGS}/namespaces/{NAMESPACE}/gangjobs")["items"]
    assert {gang["metadata"]["name"]: gang.get("status") for gang in gangs if not has_succeeded(gang)} == {}
    return True


def lease(api):
    try:
        return api.request("GET", LEASE).get("spec", {})
    except ApiError:
        return {}  # it has just been deleted
