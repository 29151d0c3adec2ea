"""The logs of a gang's members, as a person meets them, from an API server in the test's process."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from builders.served import gang, owned_by, pod
from coschedule import GangKey
from fake_cluster.api import FakeApi, Refusal
from fake_cluster.jumping import now
from fake_cluster.store import Place
from lockstep.answers.member_logs import MOST_FOLLOWED, LogsRequest, follow_logs, show_logs
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.errors import AnswerError

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "g")
RUNS = {"state": {"running": {}}}
PLACE = Place("gangjobs", "default", "g")


def member(rank, *, attempt=1, state=None, node="n1", containers=("main",), uid=None, **more):
    """Describe a member whose containers run, unless their ``state`` says otherwise."""
    status = {"containerStatuses": [{"name": name, **(state or RUNS)} for name in containers]}
    owned = owned_by("g", attempt=attempt, rank=rank)
    if uid:
        owned["ownerReferences"][0]["uid"] = uid
    served = pod(f"g-{attempt}-{rank}", node=node, status=status, **owned, **more)
    served["spec"]["containers"] = [{"name": name} for name in containers]
    return served


async def chunks(*texts):
    for text in texts:
        yield text


def log_of(name, _asked):
    return chunks(f"{name} says\nhel".encode(), b"lo\nand ends")


@asynccontextmanager
async def members(*pods, status=None, log=log_of):
    async with FakeApi(now) as api, one_client(api.configuration, connections=MOST_FOLLOWED) as client:
        api.log = log
        api.store.create("gangjobs", {**gang("g"), "status": status or {}})
        api.store.add("pods", *pods) if pods else None
        yield api, client


async def shown(client, way=show_logs, **request):
    said = []
    is_whole = await way(client, LogsRequest(KEY, **request), said.append)
    lines = [(one.rank, one.line.decode()) for one in said if one.line is not None]
    return is_whole, lines, [one.notice for one in said if one.line is None]


async def test_each_line_has_the_rank_of_its_member_and_members_come_one_after_the_other():
    async with members(*(member(rank) for rank in (0, 1, 10))) as (_, client):
        is_whole, lines, notices = await shown(client)

    assert lines == [(rank, line) for rank in (0, 1, 10) for line in (f"g-1-{rank} says", "hello", "and ends")]
    assert (is_whole, notices) == (True, [])


async def test_members_that_do_not_run_yet_are_said():
    waits = {"state": {"waiting": {"reason": "ContainerCreating"}}}
    pulls = {"state": {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}}
    async with members(
        member(0), member(1, state=waits), member(2, state=pulls), member(3, node="", state={"state": {}})
    ) as (_, client):
        is_whole, lines, notices = await shown(client)

    assert not is_whole
    assert {rank for rank, _ in lines} == {0}
    assert notices == [
        "g-1-1 does not run yet: ContainerCreating on n1",
        "g-1-2 does not run yet: ErrImagePull on n1: no such image",
        "g-1-3 does not run yet: it is not bound to a node yet",
    ]


async def test_member_that_has_failed_and_waits_for_its_restart_has_a_log():
    crashed = {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {}}}
    async with members(member(0, state=crashed)) as (_, client):
        is_whole, lines, _ = await shown(client)

    assert is_whole
    assert len(lines) == 3


async def test_only_the_ranks_that_are_asked_for_are_read():
    async with members(*(member(rank) for rank in range(6))) as (api, client):
        _, lines, _ = await shown(client, ranks="0-1,4", tail=7, container="main")

    assert {rank for rank, _ in lines} == {0, 1, 4}
    assert sum(request.resource == "pods/log" for request in api.requests) == 3


async def test_tail_and_container_reach_the_api_server():
    asked = []

    def log(_name, query):
        asked.append(query)
        return chunks(b"x\n")

    async with members(member(0, containers=("main", "side")), log=log) as (_, client):
        await shown(client, tail=7, container="side")

    assert asked == [{"container": "side", "tailLines": "7"}]


@pytest.mark.parametrize(
    ("annotations", "want"),
    [({}, "main"), ({"kubectl.kubernetes.io/default-container": "side"}, "side")],
    ids=["the first", "the default"],
)
async def test_without_a_name_it_is_the_default_container_or_the_first(annotations, want):
    asked = []

    def log(_name, query):
        asked.append(query["container"])
        return chunks(b"x\n")

    async with members(member(0, containers=("main", "side"), annotations=annotations), log=log) as (_, client):
        await shown(client)

    assert asked == [want]


async def test_container_that_is_not_there_is_said_with_those_that_are():
    async with members(member(0, containers=("main", "side"))) as (_, client):
        with pytest.raises(AnswerError, match=r"g-1-0 has no container heat: it has main, side\."):
            await shown(client, container="heat")


async def test_members_of_the_last_attempt_are_shown_and_no_unowned_pods():
    strange = member(7, uid="uid-of-another")
    async with members(member(0, attempt=1), member(0, attempt=2), strange) as (_, client):
        _, lines, _ = await shown(client)

    assert next(line for _, line in lines) == "g-2-0 says"
    assert {rank for rank, _ in lines} == {0}


async def test_ranks_without_a_pod_are_said():
    async with members(member(1), status={"size": 4, "attempt": 1}) as (_, client):
        is_whole, _, notices = await shown(client)

    assert not is_whole
    assert notices == ["There is no pod of rank 0,2-3, so there is no log."]


async def test_log_that_the_kubelet_does_not_give_costs_the_others_nothing():
    def log(name, asked):
        return Refusal(code=502, message="dial tcp: no route") if name == "g-1-0" else log_of(name, asked)

    async with members(member(0), member(1), log=log) as (_, client):
        is_whole, lines, notices = await shown(client)

    assert not is_whole
    assert {rank for rank, _ in lines} == {1}
    assert notices == ["g-1-0 has a log that can't be read: dial tcp: no route"]


async def test_bytes_that_are_no_text_and_endless_lines_go_through():
    async def log():
        for _ in range(40):
            yield b"\xff" * 65536

    async with members(member(0), log=lambda *_: log()) as (_, client):
        said = []
        assert await show_logs(client, LogsRequest(KEY), said.append)

    assert b"".join(one.line for one in said) == b"\xff" * 40 * 65536
    assert len(said) > 1


async def test_gang_without_members_says_why():
    condition = {"type": "Planned", "status": "False", "reason": "NotEnoughRoom", "message": "Needs 20, 12 fit."}
    status = {"conditions": [{**condition, "lastTransitionTime": "2027-01-15T07:00:00Z"}]}
    async with members(status=status) as (_, client):
        with pytest.raises(AnswerError, match=r"There is no member of default/g: Needs 20, 12 fit\."):
            await shown(client)


async def test_gang_that_is_not_there_is_said():
    async with members() as (api, client):
        api.store.remove(PLACE)
        with pytest.raises(AnswerError, match=r"There is no GangJob default/g\."):
            await shown(client)


# Following


def complete(api):
    condition = {"type": "Complete", "status": "True", "reason": "Succeeded", "message": "All have succeeded."}
    conditions = [{**condition, "lastTransitionTime": "2027-01-15T07:00:00Z"}]
    api.store.change(PLACE, status={"conditions": conditions})


async def test_logs_are_followed_side_by_side_until_the_gang_is_over():
    async def grows(name):
        yield f"{name} starts\n".encode()
        await asyncio.sleep(60)
        yield f"{name} ends\n".encode()

    async with members(member(0), member(1), log=lambda name, _: grows(name)) as (api, client):
        asyncio.get_running_loop().call_later(30, complete, api)
        is_whole, lines, _ = await shown(client, follow_logs)

    assert is_whole
    assert sorted(lines[:2]) == [(0, "g-1-0 starts"), (1, "g-1-1 starts")]
    assert sorted(lines[2:]) == [(0, "g-1-0 ends"), (1, "g-1-1 ends")]


async def test_member_that_starts_later_and_the_next_attempt_are_followed_too():
    waits = {"state": {"waiting": {"reason": "ContainerCreating"}}}
    async with members(member(0, state=waits)) as (api, client):
        loop, place = asyncio.get_running_loop(), Place("pods", "default", "g-1-0")
        loop.call_later(10, lambda: api.store.replace(place, member(0)))
        loop.call_later(20, lambda: api.store.remove(place))
        loop.call_later(30, lambda: api.store.add("pods", member(0, attempt=2)))
        loop.call_later(40, complete, api)
        _, lines, notices = await shown(client, follow_logs)

    assert [line for _, line in lines if "says" in line] == ["g-1-0 says", "g-2-0 says"]
    assert notices[0] == "g-1-0 does not run yet: ContainerCreating on n1"
    assert len(notices) == len(set(notices))


def cut_after(*counts):
    """A log of ten lines, of which each request shows so many before its connection is cut; the last one shows all."""
    left = iter(counts)

    async def log():
        count = next(left, None)
        for number in range(10 if count is None else count):
            yield f"line {number}\n".encode()
        if count is not None:
            raise ConnectionResetError

    return lambda *_: log()


TEN = [(0, f"line {number}") for number in range(10)]


@pytest.mark.parametrize("counts", [(0,), (1,), (2,), (3,), (4, 5), (5, 6, 8), (10,)], ids=str)
async def test_log_whose_connection_was_cut_goes_on_where_it_was(counts):
    async with members(member(0), log=cut_after(*counts)) as (api, client):
        asyncio.get_running_loop().call_later(30, complete, api)
        is_whole, lines, notices = await shown(client, follow_logs)

    assert lines == TEN
    assert (is_whole, notices) == (True, [])


async def test_log_that_ends_while_its_container_runs_goes_on():
    """As when a load balancer closes a connection on which nothing was sent for a while."""
    growing = iter([2, 7])

    def log(*_):
        return chunks(*(f"line {number}\n".encode() for number in range(next(growing, 10))))

    async with members(member(0), log=log) as (api, client):
        asyncio.get_running_loop().call_later(30, complete, api)
        is_whole, lines, _ = await shown(client, follow_logs, tail=10)

    assert (is_whole, lines) == (True, TEN)


async def test_log_of_a_container_that_has_ended_is_read_once_and_of_its_next_start_too():
    ended = {"state": {"terminated": {"exitCode": 1}}}
    starts = iter([5])

    def log(*_):
        return chunks(*(f"line {number}\n".encode() for number in range(next(starts, 10))))

    async with members(member(0, state=ended), log=log) as (api, client):
        again = member(0, state={**ended, "restartCount": 1})
        loop, place = asyncio.get_running_loop(), Place("pods", "default", "g-1-0")
        loop.call_later(20, lambda: api.store.replace(place, again))
        loop.call_later(40, complete, api)
        _, lines, _ = await shown(client, follow_logs)

    assert lines == TEN
    assert sum(request.resource == "pods/log" for request in api.requests) == 2


async def test_cut_log_of_a_pod_that_is_gone_is_said_to_have_ended_early():
    async with members(member(0), log=cut_after(4, 0)) as (api, client):
        loop = asyncio.get_running_loop()
        loop.call_later(1, lambda: api.store.remove(Place("pods", "default", "g-1-0")))
        loop.call_later(30, complete, api)
        is_whole, lines, [*_, notice] = await shown(client, follow_logs)

    assert (is_whole, lines) == (False, TEN[:4])
    assert notice.startswith("g-1-0 has a log that ended early: ")


async def test_cut_log_that_does_not_come_back_is_said_while_its_gang_runs():
    def log(_name, asked):
        return Refusal(code=502, message="no route") if "sinceTime" in asked else cut_after(4)()

    said = []
    async with members(member(0), log=log) as (api, client):
        following = asyncio.create_task(follow_logs(client, LogsRequest(KEY), said.append))
        await asyncio.sleep(60)
        notices = [one.notice for one in said if one.line is None]
        complete(api)
        assert not await following

    assert [notice[:37] for notice in notices] == ["g-1-0 has a log that ended early: GET"]


async def test_refused_log_is_said_once_and_asked_for_again():
    refusals = iter([Refusal(code=502, message="dial tcp: no route")] * 3)

    async with members(member(0), log=lambda *asked: next(refusals, None) or log_of(*asked)) as (api, client):
        asyncio.get_running_loop().call_later(30, complete, api)
        is_whole, lines, notices = await shown(client, follow_logs)

    assert (is_whole, len(lines)) == (True, 3)
    assert notices == ["g-1-0 has a log that can't be read: dial tcp: no route"]


async def test_too_many_members_to_follow_are_refused_before_anything_is_read():
    async with members(*(member(rank) for rank in range(MOST_FOLLOWED + 1))) as (api, client):
        with pytest.raises(AnswerError, match=r"default/g has 101 members .* such as --rank 0-99\."):
            await shown(client, follow_logs)

    assert not [request for request in api.requests if request.resource == "pods/log"]


async def test_output_that_is_closed_ends_it():
    def closed(_):
        raise BrokenPipeError

    async with members(member(0)) as (_, client):
        with pytest.raises(BrokenPipeError):
            await follow_logs(client, LogsRequest(KEY), closed)


async def test_ranks_that_no_member_has_are_not_missed():
    status = {"size": 3, "attempt": 1, "ranks": "0,2,5"}
    async with members(member(0), member(2), status=status) as (_, client):
        _, _, notices = await shown(client)

    assert notices == ["There is no pod of rank 5, so there is no log."]
