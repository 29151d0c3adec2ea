"""What a plan keeps of the one before, and what it promises; by hand."""

import math
from dataclasses import replace

import pytest

from coschedule.model.run_times import TimesWork
from coschedule.queue.constraints.terms import Constraints, Taint, Toleration
from coschedule.queue.keeping.memory import kept_from, remembering
from coschedule.queue.plan import plan
from coschedule.queue.problem.gangs import Kept, Load, Seat
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.refusals import DeadlineCannotBeMet, NoRoomTogether, TooLittle
from coschedule.queue.promises import fronts
from engine.builders import NOW, gang, node, nodes_taken, release, role, snapshot

TWO = [node("n0"), node("n1")]
BUSY = [node("n0", free=0), node("n1", free=0)]
ENDS = (release(0, NOW + 10), release(1, NOW + 30))


def planned(nodes, *gangs, promises=Promises.SLACK, **facts):
    made = replace(snapshot(nodes, gangs, **facts), promises=promises)
    return made, plan(made)


def by_name(made):
    return {one.gang.name: one for one in made.decisions}


def test_promise_is_the_start_and_a_third_of_the_run_beyond():
    _, made = planned(BUSY, gang("a", size=1, serial=30), releases=ENDS)

    [a] = made.decisions
    assert (a.start, a.finish, a.promised) == (NOW + 10, NOW + 40, NOW + 20)


@pytest.mark.parametrize(
    ("promises", "expected"), [(Promises.CONSERVATIVE, NOW + 10), (Promises.EASY, NOW + 10), (Promises.NONE, None)]
)
def test_other_kinds_promise_the_start_or_nothing(promises, expected):
    _, made = planned(BUSY, gang("a", size=1, serial=40), releases=ENDS, promises=promises)

    assert made.decisions[0].promised == expected


def test_easy_promises_to_the_first_alone():
    gangs = [gang("a", size=2, serial=40), gang("b", size=2, serial=40)]
    _, made = planned(BUSY, *gangs, releases=ENDS, promises=Promises.EASY)

    assert [one.promised for one in made.decisions] == [NOW + 30, None]


def test_slack_promises_nothing_where_no_end_is_known():
    _, made = planned(BUSY, gang("a", size=1), releases=ENDS)

    assert made.decisions[0].promised is None


def test_short_gang_passes_a_long_one_that_can_still_keep_its_word():
    long = gang("long", size=1, serial=300, created=NOW)
    before, made = planned([node("n0", free=0)], long, releases=(release(0, NOW + 10),))
    short = gang("short", size=1, serial=5, created=NOW)
    after = remembering(
        replace(
            snapshot([node("n0", free=0)], [long, short], releases=(release(0, NOW + 10),)), promises=Promises.SLACK
        ),
        before,
        made,
    )
    decisions = by_name(plan(after))

    assert decisions["short"].start == NOW + 10
    assert decisions["long"].start == NOW + 15
    assert decisions["long"].promised == NOW + 110


def test_short_gang_does_not_pass_under_conservative_promises():
    long, short = gang("long", size=1, serial=400), gang("short", size=1, serial=5, created=1.0)
    facts = {"releases": (release(0, NOW + 10),), "promises": Promises.CONSERVATIVE}
    _, made = planned([node("n0", free=0)], long, short, **facts)

    assert by_name(made)["long"].start == NOW + 10
    assert by_name(made)["short"].start == NOW + 410


def kept(start, finish, *nodes):
    return Kept(start=start, finish=finish, seats=(tuple(Seat(node, 1) for node in nodes),))


def test_earlier_start_is_taken_where_that_costs_no_other_gang_anything():
    waits = replace(gang("a", size=1, times=[40]), kept=kept(NOW + 10, NOW + 50, 1), promised=NOW + 50)
    facts = replace(snapshot(TWO, [waits]), promises=Promises.CONSERVATIVE)
    [made] = plan(facts).decisions

    assert (made.start, nodes_taken(made)) == (NOW, (("n0", 1),))


def test_what_should_have_started_starts_now_and_says_what_else_there_was():
    waits = replace(gang("a", size=1, most=2, serial=40), kept=kept(NOW - 5, NOW + 15, 0, 1), promised=NOW)
    facts = replace(snapshot(TWO, [waits]), promises=Promises.SLACK)
    [made] = plan(facts).decisions

    assert (made.start, made.finish, made.size) == (NOW, NOW + 20, 2)
    assert made.alternative.size == 1


@pytest.mark.parametrize(
    "nodes",
    [
        [node("n0"), node("n1", free=0)],
        [node("n0"), node("n1", ready=False)],
        [node("n0"), node("n1", until=NOW + 20)],
    ],
    ids=["taken", "not ready", "taken back"],
)
def test_what_is_not_possible_any_more_is_planned_again(nodes):
    waits = replace(gang("a", size=1, times=[40]), kept=kept(NOW, NOW + 40, 1), promised=NOW)
    [made] = plan(replace(snapshot(nodes, [waits]), promises=Promises.SLACK)).decisions

    assert nodes_taken(made) == (("n0", 1),)
    assert made.start == NOW


@pytest.mark.parametrize(("seconds", "want"), [(39.0, "n0"), (40.0, "n1")])
def test_place_is_kept_on_a_node_with_a_taint_only_if_the_gang_ends_before_it_evicts(seconds, want):
    nodes = [node("n0", slowdown=1.5), node("n1", taints=[Taint("leaving", "", "NoExecute")])]
    constraints = Constraints(tolerations=(Toleration("leaving", "Exists", "", "NoExecute", seconds),))
    waits = replace(
        gang("a", size=1, times=[40], constraints=constraints), kept=kept(NOW, NOW + 40, 1), promised=NOW + 100
    )
    [made] = plan(replace(snapshot(nodes, [waits]), promises=Promises.SLACK)).decisions

    assert nodes_taken(made) == ((want, 1),)


def test_refusal_of_a_gang_of_several_roles_that_lost_its_place_says_what_it_lacks():
    seats = ((Seat(0, 1),), (Seat(1, 1),))
    roles = [role("one", load=Load.NONE), role("many")]
    waits = replace(gang("a", roles=roles, serial=40), kept=Kept(start=NOW, finish=NOW + 40, seats=seats))
    [made] = plan(replace(snapshot([node("n0"), node("n1", ready=False)], [waits]), promises=Promises.SLACK)).decisions

    assert made.refusal == NoRoomTogether(needed=2, roles=2, too_little=TooLittle(resource="slots", needed=2, free=1))


def test_size_that_is_not_allowed_is_not_kept():
    """A status may say what its spec does not allow any more."""
    waits = replace(gang("a", size=1, times=[40, 40]), kept=kept(NOW + 10, NOW + 50, 0, 1))
    [made] = plan(replace(snapshot(TWO, [waits]), promises=Promises.SLACK)).decisions

    assert made.size == 1


def test_broken_promise_becomes_a_new_one():
    waits = replace(gang("a", size=1, times=[30]), promised=NOW + 5)
    facts = replace(snapshot([node("n0", free=0)], [waits], releases=(release(0, NOW + 20),)), promises=Promises.SLACK)
    [made] = plan(facts).decisions

    assert (made.start, made.promised) == (NOW + 20, NOW + 30)


def test_gang_with_a_deadline_that_comes_later_gets_no_place_that_would_break_a_promise():
    """Seven nodes open; four of them are for gangs that wait, and the newcomer needs four at once."""
    nodes = [node(f"n{number}", start=NOW + 5) for number in range(7)]
    before, made = planned(nodes, *(gang(f"g{number}", size=1, times=[90], created=NOW - 9) for number in range(4)))
    comes = gang("x", size=4, times=[60] * 4, created=NOW, deadline=NOW + 80)
    after = remembering(replace(before, gangs=(*before.gangs, comes)), before, made)
    decisions = by_name(plan(after))

    assert isinstance(decisions.pop("x").refusal, DeadlineCannotBeMet)
    assert {one.promised for one in made.decisions} == {NOW + 35}
    assert all(one.start <= NOW + 35 == one.promised for one in decisions.values())


def test_gang_with_a_promise_and_a_deadline_keeps_its_place_if_a_shorter_gang_comes():
    """There is time for one of the two; the newcomer would end sooner."""
    nodes, ends = [node("n0", free=0)], (release(0, NOW + 10),)
    before, made = planned(nodes, gang("a", size=1, times=[30], created=NOW, deadline=NOW + 45), releases=ends)
    comes = gang("b", size=1, times=[20], created=NOW, deadline=NOW + 45)
    after = remembering(replace(before, gangs=(*before.gangs, comes)), before, made)

    assert by_name(plan(after))["a"] == made.decisions[0]


def test_gang_whose_run_times_changed_unevenly_loses_no_promise_to_a_shorter_gang():
    """There is time for one of the two; the newcomer would end sooner."""
    nodes, ends = [node("n0", free=0)], (release(0, NOW + 10),)
    promised = gang("a", size=1, most=2, times=[30, 25], created=NOW, deadline=NOW + 45)
    before, made = planned(nodes, promised, releases=ends)
    known_better = replace(promised, work=TimesWork(times=(30, 20)))
    comes = gang("b", size=1, times=[20], created=NOW, deadline=NOW + 45)
    after = remembering(replace(before, gangs=(known_better, comes)), before, made)

    made_anew = by_name(plan(after))["a"]
    assert (made_anew.start, made_anew.promised) == (NOW + 10, NOW + 20)


def test_others_start_late_where_a_gang_would_lose_its_place_after_an_overrun():
    """Planned behind the kept places of the others, it would miss its deadline."""
    gangs = [gang(name, size=1, times=[10], created=NOW) for name in "bc"]
    gangs.append(gang("a", size=1, times=[10], deadline=NOW + 25))
    facts = {"releases": (release(0, NOW + 5),), "promises": Promises.CONSERVATIVE}
    before, made = planned([node("n0", free=0)], *gangs, **facts)
    overrun = replace(before, releases=(release(0, NOW + 10),))
    decisions = by_name(plan(remembering(overrun, before, made)))

    assert [by_name(made)[name].promised for name in "abc"] == [NOW + 5, NOW + 15, NOW + 25]
    assert [decisions[name].start for name in "abc"] == [NOW + 10, NOW + 20, NOW + 30]


@pytest.mark.parametrize("promises", [Promises.SLACK, Promises.CONSERVATIVE, Promises.EASY])
def test_older_gang_that_comes_back_does_not_delay_a_gang_beyond_its_promise(promises):
    before, made = planned(BUSY, gang("a", size=2, serial=40, created=NOW), releases=ENDS, promises=promises)
    older = gang("b", size=2, serial=400, created=NOW - 90)
    after = remembering(replace(before, gangs=(older, *before.gangs)), before, made)
    decisions = by_name(plan(after))

    assert decisions["a"].start <= made.decisions[0].promised
    assert decisions["a"].promised == made.decisions[0].promised


def test_gang_behind_the_front_that_fits_now_starts_now():
    """Forty-one gangs in front, and the last has a place for later: room that came early is not left idle."""
    front = [gang(f"f{number:02}", size=2, serial=1000, created=float(number)) for number in range(41)]
    last = replace(gang("last", size=1, times=[5], created=NOW), kept=kept(NOW + 900, NOW + 905, 0), promised=NOW + 910)
    facts = replace(
        snapshot([node("n0"), node("n1", free=0)], [*front, last], releases=(release(1, NOW + 100),)),
        promises=Promises.CONSERVATIVE,
    )

    assert by_name(plan(facts))["last"].start == NOW


def test_gang_that_asks_for_something_else_is_promised_nothing_yet():
    before, made = planned(BUSY, gang("a", size=1, serial=40), releases=ENDS)
    other = snapshot(BUSY, [gang("a", size=2, serial=40)], releases=ENDS)
    [remembered] = remembering(other, before, made).gangs

    assert (remembered.promised, remembered.kept) == (math.inf, None)


def test_gang_of_the_same_name_remembers_nothing_of_another():
    before, made = planned(BUSY, gang("a", size=1, serial=40), releases=ENDS)
    [remembered] = remembering(snapshot(BUSY, [gang("a", size=1, serial=40, created=5.0)]), before, made).gangs

    assert (remembered.promised, remembered.kept) == (math.inf, None)


def test_word_is_kept_where_the_work_or_the_nodes_have_changed():
    before, made = planned(BUSY, gang("a", size=1, serial=30), releases=ENDS)
    less = snapshot(BUSY, [gang("a", size=1, serial=20, per_member=1)])
    slower = snapshot([node("n0", free=0, slowdown=2.0), BUSY[1]], [gang("a", size=1, serial=30)])

    for facts in (less, slower):
        [remembered] = remembering(facts, before, made).gangs
        assert (remembered.promised, remembered.kept) == (NOW + 20, None)


def test_nodes_are_known_by_name_not_by_number():
    before, made = planned(BUSY, gang("a", size=1, serial=40), releases=ENDS)
    more = snapshot([node("m"), *BUSY], [gang("a", size=1, serial=40)])
    [remembered] = remembering(more, before, made).gangs

    assert remembered.kept.seats == ((Seat(1, 1),),)


def test_placement_on_nodes_that_are_gone_is_not_kept():
    _, made = planned(BUSY, gang("a", size=1, serial=40), releases=ENDS)

    assert kept_from(made.decisions[0].members, [""], {}, start=NOW, finish=NOW + 1) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": NOW, "finish": NOW},
        {"start": -math.inf, "finish": NOW},
        {"start": NOW, "finish": NOW + 1, "seats": ((Seat(1, 1), Seat(0, 1)),)},
        {"start": NOW, "finish": NOW + 1, "seats": ((Seat(1, 0),),)},
    ],
)
def test_kept_plan_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="a kept placement"):
        Kept(**({"seats": ((Seat(0, 1),),)} | wrong))


def test_kept_seats_go_with_roles_and_nodes():
    one = gang("a", size=1, times=[40])
    with pytest.raises(ValueError, match="seats for each role"):
        replace(one, kept=Kept(start=NOW, finish=NOW + 1, seats=()))
    with pytest.raises(ValueError, match="seats for each role"):
        one.remembering(NOW, Kept(start=NOW, finish=NOW + 1, seats=()))
    with pytest.raises(ValueError, match="nodes of the snapshot"):
        snapshot(TWO, [replace(one, kept=kept(NOW, NOW + 1, 2))])


def test_gang_that_remembers_is_the_same_in_all_else():
    one = replace(gang("a", size=1, serial=40, deadline=NOW + 90, member_price=0.5), requested=NOW)
    given = kept(NOW + 5, NOW + 45, 0)

    assert one.remembering(NOW + 20, given) == replace(one, promised=NOW + 20, kept=given)
    with pytest.raises(ValueError, match="promised"):
        one.remembering(math.nan, None)


@pytest.mark.parametrize("is_free_again", [True, False])
def test_nodes_are_chosen_at_the_start_of_all_that_are_free_by_then(monkeypatch, is_free_again):
    """The fast node was to be taken for long; the gang is behind every front, and its time has come."""
    monkeypatch.setattr(fronts, "FRONT", 1)
    taken = ["busy"] if is_free_again else ["busy", "fast"]
    slowdowns = {"busy": 1.0, "fast": 0.5, "slow": 1.0}
    nodes = [node(name, free=int(name not in taken), slowdown=each) for name, each in slowdowns.items()]
    ends = tuple(release(list(slowdowns).index(name), NOW + 500) for name in taken)
    in_front = gang("x", size=3, serial=10, created=NOW - 1e6)
    waits = replace(gang("a", size=1, serial=30), promised=NOW, kept=kept(NOW, NOW + 30, 2))
    made = by_name(planned(nodes, in_front, waits, releases=ends)[1])["a"]

    assert (made.start, made.promised) == (NOW, NOW)
    assert nodes_taken(made) == ((("fast" if is_free_again else "slow"), 1),)


def test_promise_comes_before_an_earlier_finish():
    """Two members from the later start on would end sooner, but by then it was to run."""
    nodes, ends = [node("n0"), node("n1", free=0)], (release(1, NOW + 10),)
    free = gang("a", size=1, most=2, serial=100)
    [anyhow] = planned(nodes, free, releases=ends)[1].decisions
    [bound] = planned(nodes, replace(free, promised=NOW + 5), releases=ends)[1].decisions

    assert (anyhow.start, anyhow.size) == (NOW + 10, 2)
    assert (bound.start, bound.size) == (NOW, 1)


def test_promise_holds_with_a_deadline_and_with_roles():
    nodes, ends = [node("n0"), node("n1", free=0)], (release(1, NOW + 10),)
    hurried = gang("a", size=1, most=2, serial=100, deadline=NOW + 100, promised=NOW + 5)
    roles = [role("one", load=Load.NONE), role("many", size=1, most=2)]
    several = gang("b", roles=roles, serial=100, promised=NOW + 5)
    three = [node("n0", free=2), node("n1", free=0)]

    assert planned(nodes, hurried, releases=ends)[1].decisions[0].start == NOW
    assert planned(three, several, releases=ends)[1].decisions[0].start == NOW
    assert planned(three, replace(several, promised=math.inf), releases=ends)[1].decisions[0].start == NOW + 10
