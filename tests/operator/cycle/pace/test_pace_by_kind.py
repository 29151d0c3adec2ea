"""Members of a gang that learns are paced by how fast each kind of nodes is for its own template."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.facts import DEFAULT, bid_fact, gang_fact, gang_spec, member_fact, node_fact
from builders.served import node
from coschedule import GangKey, SerialWork
from fake_cluster.jumping import until
from fake_cluster.paced import BIDS, OUT_OF_THE_WAY, PACED, cpu_by_node, pace_of, paced_gang, run_all, until_paced
from fake_cluster.rig import operator_over
from lockstep.belief.state import State
from lockstep.cycle.pace.paced_members import PacedMember, offers_of
from lockstep.cycle.pace.pacing import node_paces, slowest
from lockstep.facts.past_runs import KIND_LABEL, Template, run_of

HEAT = "0" * 32
LEARNER = gang_fact("g", spec=gang_spec(work=SerialWork(serial=100.0), run_template=HEAT, learns=True))
LEARNS = {"pace": "Local", "work": {"serialTime": "100s", "learn": True}}
CLEAR_FACTORS = st.sampled_from([0.05, 0.2, 0.5, 2.0, 3.7, 20.0])
OFFERED = st.lists(
    st.tuples(st.integers(0, 4000), st.integers(100, 8000), st.sampled_from(["usual", "own", "unheard of", ""])),
    min_size=1,
    max_size=6,
)


def remember_runs(past_runs, template, times):
    """Runs that took so many times as long on nodes of kind own as on those of the usual kind."""
    for kind, taken, count in (("usual", 1.0, 5), ("own", times, 3)):
        for _ in range(count):
            past_runs.learn(template, run_of(taken, members=1, slowdown=1.0, seconds=100 * taken, kind=kind))


def state_of(offered, times):
    state = State(lambda: None)
    for number, (duty, capacity, kind) in enumerate(offered):
        name = f"n{number}"
        state.nodes.apply(node_fact(name, labels={KIND_LABEL: kind} if kind else {}))
        slowdown = (1000 + duty) / capacity
        state.bids.apply(bid_fact(name, slowdown=slowdown, duty_cycle=duty / 1000))
    remember_runs(state.past_runs, Template(DEFAULT, HEAT), times)
    state.past_runs.put_in_force()
    return state


def members_on(state):
    names = sorted(state.nodes)
    pods = [member_fact(rank=rank, node=name) for rank, name in enumerate(names)]
    return [PacedMember(pod, "", name, waits=True) for pod, name in zip(pods, names, strict=True)]


@given(OFFERED, CLEAR_FACTORS)
def test_every_member_can_do_as_much_of_its_own_work_as_the_slowest(offered, times):
    """By brute force: on a node of the kind a second of processor time does so many times less."""
    state = state_of(offered, times)
    per_second = [capacity / 1000 / (times if kind == "own" else 1) for _, capacity, kind in offered]
    full = [speed / (1 + duty / 1000) for speed, (duty, *_) in zip(per_second, offered, strict=True)]

    offers = offers_of(state, LEARNER, members_on(state))
    paces = node_paces(offers)

    for speed, pace in zip(per_second, paces.values(), strict=True):
        assert speed * pace.share == pytest.approx(min(full))
    assert full[int(slowest(offers)[1:])] == pytest.approx(min(full))


def test_gang_that_does_not_learn_is_paced_by_the_bids():
    state = state_of([(0, 1000, "usual"), (0, 1000, "own")], 4.0)
    plain = gang_fact("g", spec=gang_spec(work=SerialWork(serial=100.0), run_template=HEAT))

    assert [one.slowdown for one in offers_of(state, plain, members_on(state)).values()] == [1.0, 1.0]
    assert offers_of(state, LEARNER, members_on(state))["n1"].slowdown == pytest.approx(4.0)


@pytest.mark.asyncio
async def test_what_is_learned_while_a_gang_runs_counts_from_then_on():
    nodes = [node(name, cpu="4", labels={KIND_LABEL: kind}) for name, kind in (("n1", "own"), ("n2", ""), ("n3", ""))]
    async with operator_over(*nodes, gangs=[paced_gang(spec=LEARNS)], bids=BIDS) as (api, parts):
        await run_all(api)
        await until_paced(api, PACED)
        spec = parts.state.gangs[GangKey(DEFAULT, "g")].spec
        # n1 is twice as fast as n3 by its bid, and for this program as slow.
        remember_runs(parts.state.past_runs, Template(DEFAULT, spec.run_template), 2.0)

        await until(lambda: cpu_by_node(api) == {**PACED, "n1": OUT_OF_THE_WAY["n1"]})
        await until(lambda: pace_of(api)["paced"] == 1)
        assert "The slowest node is n1." in pace_of(api)["message"]
