"""On small clusters: whatever a gang of unknown end grows into or gives back, compared with all that it could do."""

import math
from dataclasses import replace
from itertools import chain, combinations

from hypothesis import given
from hypothesis import strategies as st

from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement, Unplaceable
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.size_change import SizeChange
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.open_ended_run import LEAST_GROWTH, OpenEndedRun
from coschedule.resizing.gangs.sized_run import ChangeTerms, FixedMembers, SeatKind
from coschedule.resizing.resize import resize
from coschedule.resizing.worlds import after_changes
from engine.builders import NOW, gang, node, release, running, snapshot

TERMS = ChangeTerms(restart_time=120.0, min_interval=600.0)
RESTART = TERMS.restart_time


@st.composite
def runs_on(draw, count):
    """Some gangs of unknown end on the first of the nodes."""
    runs, begin = [], 0
    for number in range(draw(st.integers(1, 2))):
        size = draw(st.integers(1, 3))
        nodes = tuple(range(begin, min(begin + size, count)))
        begin += size
        if nodes:
            fixed = draw(fixed_members(begin, count))
            begin += sum(len(part.nodes) for part in fixed)
            every = draw(st.sampled_from([1, 1, 2])) if len(nodes) % 2 == 0 else 1
            runs.append(
                OpenEndedRun(
                    key=GangKey("default", f"r{number}"),
                    sizes=Sizes(minimum=1, maximum=8, multiple_of=every),
                    request=(1,),
                    nodes=nodes,
                    end=draw(st.sampled_from([math.inf, math.inf, NOW + 500.0])),
                    terms=TERMS,
                    changed=draw(st.sampled_from([-math.inf, NOW - 700, NOW - 500])),
                    constraints=draw(constraints()),
                    priority=draw(st.integers(0, 1)),
                    least=draw(st.integers(1, len(nodes))),
                    grace=draw(st.sampled_from([0.0, 30.0])),
                    fixed=fixed,
                )
            )
    return runs


@st.composite
def fixed_members(draw, begin, count):
    """No, one or two members whose number never changes, on nodes of their own from one on."""
    on = range(begin, min(begin + draw(st.integers(0, 2)), count))
    return tuple(FixedMembers(SeatKind(draw(constraints()), (1,)), (index,), draw(st.booleans())) for index in on)


def constraints():
    return st.sampled_from([Constraints(), Constraints(), Constraints(node_selector=(("pool", "a"),))])


@st.composite
def waiting(draw, number):
    size = draw(st.integers(1, 5))
    return gang(
        f"w{number}",
        size=size,
        most=draw(st.sampled_from([size, size, size + 2])),
        serial=draw(st.sampled_from([None, 1000])),
        created=float(number),
        priority=draw(st.integers(0, 1)),
        constraints=draw(constraints()),
        request=(draw(st.sampled_from([1, 1, 1, 2])),),
        not_before=draw(st.sampled_from([-math.inf, -math.inf, NOW + 60])),
        may_hold=draw(st.booleans()),
        promised=draw(st.sampled_from([math.inf, math.inf, NOW + 300])),
    )


@st.composite
def worlds(draw, *, is_even=False, most_runs=2):
    """A few nodes, gangs of unknown end that run there, others that run beside them, and gangs that wait."""
    count = draw(st.integers(2, 7))
    runs = draw(runs_on(count))[:most_runs]
    held = {index for run in runs for index in run.all_nodes}
    pools = [draw(st.sampled_from("aab")) for _ in range(count)]
    paces = [1.0 if is_even else draw(st.sampled_from([1.0, 1.0, 2.0])) for _ in range(count)]
    closing = [math.inf] if is_even else [math.inf, math.inf, math.inf, NOW + 400]
    until = [draw(st.sampled_from(closing)) for _ in range(count)]
    others = [index for index in range(count) if index not in held and draw(st.sampled_from([False, False, True]))]
    free = [int(index not in {*held, *others}) for index in range(count)]
    facts = zip(free, paces, until, pools, strict=True)
    nodes = [
        node(f"n{index}", free=slots, slowdown=pace, until=closes, labels={"pool": pool})
        for index, (slots, pace, closes, pool) in enumerate(facts)
    ]
    gangs = [draw(waiting(number)) for number in range(draw(st.integers(0, 3)))]
    endless = [running(run.key.name, *run.all_nodes) for run in runs if run.end == math.inf]
    known = [(index, run.end) for run in runs if run.end < math.inf for index in run.all_nodes]
    ends = [draw(st.sampled_from([math.inf, NOW + 50, NOW + 1000])) for _ in others]
    endless += [running(f"other{index}", index) for index, end in zip(others, ends, strict=True) if end == math.inf]
    known += [(index, end) for index, end in zip(others, ends, strict=True) if end < math.inf]
    facts = snapshot(nodes, gangs, runs=endless, releases=[release(*one) for one in known], most_holding=1)
    return replace(facts, running=()), runs


def starts(made):
    return {one.gang: one.start for one in made.decisions if isinstance(one, Placement)}


def starting(made, by=NOW):
    return {gang for gang, start in starts(made).items() if start <= by}


def nodes_of_starts(facts, made):
    """List the nodes of gangs that start now, an entry for each member."""
    placed = [one for one in made.decisions if one.gang in starting(made)]
    return [facts.nodes.index[entry.node] for one in placed for entry in one.members for _ in range(entry.count)]


def passes(facts, constraints, index):
    return all(facts.nodes.labels[index].get(key) == value for key, value in constraints.node_selector)


def stays(facts, run):
    """Whether each node of the gang takes its member again, until the gang ends."""
    parts = [(run.constraints, run.nodes), *((part.seat.constraints, part.nodes) for part in run.fixed)]
    on = [(constraints, index) for constraints, nodes in parts for index in nodes]
    return all(facts.until[index] >= run.end + RESTART and passes(facts, one, index) for one, index in on)


def subsets(items):
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def could_use(facts, one, index):
    """Whether a member of the gang could be on this node, if nothing were there."""
    role = one.roles[0]
    return role.request[0] <= 1 and passes(facts, role.constraints, index)


def gangs_that_wait(facts, made):
    too_large = {one.gang for one in made.decisions if isinstance(one, Unplaceable) and one.fits_empty is False}
    return [one for one in facts.gangs if one.key not in starting(made) | too_large]


@given(case=worlds())
def test_gangs_grow_only_into_idle_nodes_that_none_that_waits_could_use(case):
    facts, runs = case
    made = plan(facts)
    by_key = {run.key: run for run in runs}

    result = resize(facts, runs, {})

    taken = list[int]()
    for change in (one for one in result.sizes.changes if len(one.nodes) > one.was):
        run = by_key[change.gang]
        added = [index for index in change.nodes if index not in run.nodes]
        assert set(run.nodes) <= set(change.nodes)
        assert run.sizes.has(len(change.nodes))
        assert run.changed <= NOW - TERMS.min_interval
        assert all(facts.until[index] >= run.end + RESTART for index in change.nodes)
        assert stays(facts, run)
        waits = gangs_that_wait(facts, made)
        assert not [(one, index) for one in waits for index in added if could_use(facts, one, index)]
        taken += added
    used = nodes_of_starts(facts, made)
    assert all(facts.free[index, 0] == 1 for index in taken)
    assert len({*taken, *used}) == len([*taken, *used])
    if taken:
        # Who waits is decided as if no gang had grown.
        later = {key: start for key, start in starts(made).items() if start > NOW}
        assert starts(plan(result.after)) == later


@given(case=worlds(most_runs=1))
def test_gang_that_is_alone_grows_to_its_fastest_size(case):
    facts, [run] = case
    made = plan(facts)
    waits = gangs_that_wait(facts, made)
    used = nodes_of_starts(facts, made)
    free = [
        index
        for index in range(len(facts.free))
        if facts.free[index, 0] == 1
        and index not in used
        and facts.until[index] >= run.end + RESTART
        and passes(facts, run.constraints, index)
        and not any(could_use(facts, one, index) for one in waits)
    ]
    is_awaited = run.end < math.inf and any(could_use(facts, one, index) for one in waits for index in run.all_nodes)

    [*changes] = resize(facts, [run], {}).sizes.changes

    def speed(added):
        nodes = [*run.nodes, *added, *(index for part in run.fixed if part.is_work for index in part.nodes)]
        return len(nodes) / max(facts.slowdown[list(nodes)])

    may_change = run.changed <= NOW - TERMS.min_interval and stays(facts, run)
    able = [added for added in subsets(free) if added and run.sizes.has(run.size + len(added))] if may_change else []
    best = max(map(speed, able), default=0.0)
    added = [set(one.nodes) - set(run.nodes) for one in changes if len(one.nodes) > one.was]
    grown = [speed(more) for more in added]
    if any(len(one.nodes) < one.was for one in changes):
        assert not grown
    else:
        assert grown == ([best] if best >= LEAST_GROWTH * speed([]) and not is_awaited else [])


@given(case=worlds())
def test_gangs_shrink_only_for_others_that_then_start(case):
    facts, runs = case
    made = plan(facts)
    before, by_key = starts(made), {run.key: run for run in runs}
    priorities = {one.key: one.priority for one in facts.gangs}

    result = resize(facts, runs, {})

    shrinking = [one for one in result.sizes.changes if len(one.nodes) < one.was]
    for change in shrinking:
        run = by_key[change.gang]
        assert run.least <= len(change.nodes)
        assert set(change.nodes) <= set(run.nodes)
        assert run.sizes.has(len(change.nodes))
        assert run.changed <= NOW - TERMS.min_interval
        assert change.made_for in starting(result.plan, by=NOW + 31)
        assert before.get(change.made_for, math.inf) > NOW + RESTART
        assert priorities[change.made_for] >= run.priority
    if shrinking:
        assert [one.gang for one in result.placed] == [one.gang for one in made.decisions if one.gang in starting(made)]
        late = {one.key for one in facts.gangs if before.get(one.key, math.inf) <= one.promised < math.inf}
        assert all({**starts(result.plan), **dict.fromkeys(starting(made), NOW)}[key] <= NOW + 300 for key in late)
        assert len(shrinking) == len(result.sizes.changes)


@given(case=worlds(is_even=True, most_runs=1), size=st.integers(1, 5), first=st.integers(0, 1))
def test_gang_on_equal_nodes_keeps_all_that_one_of_one_size_does_not_need(case, size, first):
    facts, [run] = case
    one = gang("w", size=size, priority=first)
    facts = replace(facts, gangs=(one,))
    before = plan(facts)
    wanted = []
    for kept in subsets(run.nodes):
        if run.least <= len(kept) < run.size and run.sizes.has(len(kept)):
            change = SizeChange(run.key, run.size, tuple(kept), run.end_after_change, run.end)
            if one.key in starting(plan(after_changes(facts, [run], [change])), by=NOW + run.grace + 1):
                wanted.append(len(kept))

    changes = resize(facts, [run], {}).sizes.changes

    is_stuck = (
        starts(before).get(one.key, math.inf) <= NOW + RESTART
        or one.priority < run.priority
        or run.changed > NOW - TERMS.min_interval
        or not stays(facts, run)
    )
    shrunk = [len(change.nodes) for change in changes if len(change.nodes) < change.was]
    assert shrunk == ([] if is_stuck or not wanted else [max(wanted)])


@given(case=worlds())
def test_what_members_take_of_nodes_is_free_or_comes_back_whatever_changes(case):
    facts, runs = case

    after = resize(facts, runs, {}).after

    def capacity(then):
        all_of_it = then.free + then.someday
        for one in then.releases:
            all_of_it[one.node] += one.request
        return all_of_it.tolist()

    assert capacity(after) == capacity(facts)
    held = dict.fromkeys(after.open_ended.gangs, frozenset[int]())
    for number, index in zip(after.open_ended.holder.tolist(), after.open_ended.node.tolist(), strict=True):
        held[after.open_ended.gangs[number]] |= {index}
    for run in (run for run in runs if run.end == math.inf):
        assert {index for part in run.fixed for index in part.nodes} <= held[run.key]


@given(case=worlds())
def test_same_snapshot_gives_the_same_sizes_whatever_the_order_of_its_lists(case):
    facts, runs = case
    mirrored = replace(facts, gangs=facts.gangs[::-1], releases=facts.releases[::-1])

    assert resize(mirrored, runs[::-1], {}).sizes == resize(facts, runs, {}).sizes
