"""Answers for people: what they say, and that they fit into a terminal."""

from dataclasses import replace

import pytest

from coschedule import Constraints, Load, Promises, Taint, plan
from engine.builders import NOW, apart, gang, node, role, running, snapshot
from lockstep.answers.plan.chart import ASCII, BLOCKS, bars, marks_for
from lockstep.answers.plan.clauses import format_change
from lockstep.answers.plan.document import waiting_document
from lockstep.answers.plan.planned import AnsweredPlan
from lockstep.answers.plan.recorded import RecordedSnapshot, planned_before
from lockstep.answers.plan.text import delays_line, waiting_lines
from lockstep.answers.plan.waiting import MOST_SIZES, answer_about
from lockstep.facts.gang.status import WorkUsed


def planned_of(*args, **kwargs) -> AnsweredPlan:
    snap = snapshot(*args, **kwargs)
    return planned_before(RecordedSnapshot(snap, plan(snap)))


def text_of(planned, name="me", marks=ASCII):
    [key] = [one.key for one in planned.snapshot.gangs if one.key.name == name]
    return list(waiting_lines(answer_about(planned, key), marks))


def test_gang_that_waits_is_explained_from_its_start_to_what_would_help():
    runs = [running("other", 0, 1, end=NOW + 60, priority=5)]
    nodes = [node("a", free=0), node("b", free=0, slowdown=2.0), node("c", slowdown=2.0)]
    planned = planned_of(nodes, [gang("me", size=2, most=3, serial=60, member_price=0.5)], runs=runs)

    assert text_of(planned) == [
        "default/me starts in 1 min and ends in 1 min 40 s: 3 members expected on a, b, c. The start is",
        "  expected at 1970-01-01T00:17:40Z, when a has room. The gang's speed-up over one idle reference",
        "  node is 0.60, including the wait.",
        "",
        "Why this size: one second of a member costs other gangs 0.50 s, as when the snapshot was recorded.",
        "    members     starts in       ends in  # until its end, - cost to others",
        "          2         1 min         2 min  ###########################-------------",
        " *        3         1 min    1 min 40 s  ######################--------------",
        "",
        "Why these nodes: they are the fastest that pass its constraints and have room from start to finish.",
        "  slow-down 1: 1 node, 1 with room, 1 used",
        "  slow-down 2: 2 nodes, 2 with room, 2 used",
        "  The slowest is b: a member takes 2 times as long there as on an idle reference node.",
        "  a gets room last, when default/other ends.",
        "",
        "Why not now:",
        "  It needs 2 members at least. Of 3 nodes: 2 short of slots, 1 with room for 1 member.",
        "",
        "What would let it start sooner:",
        "  - if default/other, which runs, ended now, this gang would start at once with 3 members, and end",
        "    in 40 s",
    ]


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("Stated", "Its run times are those that its spec states: all 7 runs had 4 members."),
        ("Learned", "Its run times follow the formula of earlier runs of its template: all 7 runs had 4 members."),
    ],
)
def test_answer_names_the_run_times_that_a_learning_gang_uses(source, want):
    planned = planned_of([node("a")], [gang("me", serial=60)])
    answer = answer_about(planned, planned.snapshot.gangs[0].key)

    lines = list(waiting_lines(replace(answer, work_used=WorkUsed(source, "All 7 runs had 4 members.")), ASCII))

    assert want in lines
    assert not any("Planned " in line for line in waiting_lines(answer, ASCII))


def test_answer_for_a_gang_without_a_place_names_the_nodes_that_are_asked_for():
    planned = planned_of([node("a", free=0)], [gang("me", serial=60)])
    answer = answer_about(planned, planned.snapshot.gangs[0].key)
    asked = "ProvisioningRequest me-1 asks for nodes for 1 member; the autoscaler has accepted it."

    answered = replace(answer, nodes_requested=asked)

    assert asked in list(waiting_lines(answered, ASCII))
    assert asked not in list(waiting_lines(answer, ASCII))
    assert waiting_document(answered)["nodesRequested"] == asked
    assert waiting_document(answer)["nodesRequested"] is None


def test_size_with_the_shortest_bar_is_the_one_that_it_gets():
    planned = planned_of([node(f"n{index}") for index in range(4)], [gang("me", most=4, serial=60, member_price=1.0)])

    answer = answer_about(planned, planned.snapshot.gangs[0].key)

    lengths = [
        line.count("#") + line.count("-") for line in waiting_lines(answer, ASCII) if line[3:12].strip().isdigit()
    ]
    sizes = [row.size for row in answer.sizes]
    assert sizes[lengths.index(min(lengths))] == answer.decision.size == 4


def test_unknown_run_time_is_said_and_draws_no_bar():
    lines = text_of(planned_of([node("a"), node("b")], [gang("me", most=2)]))

    assert " *        2           now             -" in lines
    assert "  It states no run time: it gets as many members as fit, as soon as possible." in lines


def test_deadline_is_named_as_the_rule_for_the_size():
    lines = text_of(planned_of([node("a"), node("b")], [gang("me", most=2, serial=60, deadline=NOW + 100)]))

    want = "  Its deadline is 1970-01-01T00:18:20Z: it gets the fewest members that meet this deadline."
    assert want in lines


def test_gang_without_a_place_says_what_each_node_fails():
    red = Taint("pool", "red", "NoSchedule")
    lines = text_of(planned_of([node("a"), node("b", taints=[red])], [gang("me", size=3, serial=60)]))

    assert lines[0].startswith("default/me has no place, now or later: it needs 3 members, and 1 fit")
    assert "  None of its sizes fits." in lines
    assert (
        "  It needs 3 members at least. Of 2 nodes: 1 with the untolerated taint pool=red:NoSchedule, 1 with" in lines
    )
    assert "  - if fewer members were enough, this gang would start at once with 1 member, and end in 1 min" in lines


def test_roles_are_distinguished():
    roles = [
        role("launcher", load=Load.NONE),
        role("workers", size=2, most=3, constraints=Constraints(node_selector=(("k", "v"),))),
    ]
    lines = text_of(planned_of([node("a", free=4)], [gang("me", roles=roles, serial=60)]))

    assert any(line.startswith("  Role launcher needs 1 member at least. Of 1 node:") for line in lines)
    assert any("1 without k=v, 0 with room for 0 members." in line for line in lines)


def test_name_of_an_only_role_and_a_slow_down_of_1_are_left_out():
    """Gangs of pods have roles such as pods-f9eee4dd, which no user knows."""
    lines = text_of(planned_of([node("a", free=4)], [gang("me", roles=[role("pods-f9eee4dd", size=2)])]))
    waits = text_of(planned_of([node("a", free=1)], [gang("me", roles=[role("pods-f9eee4dd", size=2)])]))

    assert "  slow-down 1: 1 node, 1 with room, 1 used" in lines
    assert not any("The slowest is" in line for line in lines)
    assert any(line.startswith("  It needs 2 members at least. Of 1 node:") for line in waits)


def test_gang_that_rests_says_until_when():
    lines = text_of(planned_of([node("a")], [gang("me", serial=60, not_before=NOW + 30)]))

    assert "  It does not start before 1970-01-01T00:17:10Z; these counts are for that time." in lines


def test_gang_that_holds_nodes_names_them():
    runs = [running("other", 0)]
    lines = text_of(planned_of([node("a", free=0)], [gang("me", serial=60)], runs=runs, most_holding=1))

    assert "Until it fits, it keeps a free for itself." in lines


def test_nothing_that_helps_is_said_too():
    lines = text_of(planned_of([node("a", ready=False)], [gang("me", serial=60)]))

    assert lines[-1] == "What would let it start sooner: no single change. Lockstep tried 0."


def test_long_names_and_many_speeds_fit_into_a_terminal():
    nodes = [node(f"a-rather-long-name-of-a-node-{index:03}", slowdown=1 + index / 100) for index in range(40)]
    many = [gang(f"gang-with-a-long-name-{index:02}", size=9, serial=60, created=float(index)) for index in range(6)]
    planned = planned_of(nodes, [*many, gang("me", size=30, most=40, serial=60, created=9.0)])

    lines = text_of(planned)

    assert max(map(len, lines)) <= 100
    assert "  (32 more speeds)" in lines


def test_chart_of_many_sizes_shows_the_least_the_largest_and_the_chosen_one():
    nodes = [node("a", free=400)]
    planned = planned_of(nodes, [gang("me", most=300, serial=600, per_member=1)])
    [key] = [one.key for one in planned.snapshot.gangs]

    answer = answer_about(planned, key)

    sizes = [row.size for row in answer.sizes]
    assert len(sizes) <= MOST_SIZES
    assert answer.possible == 300
    assert (sizes[0], sizes[-1]) == (1, 300)
    assert {answer.decision.size - 1, answer.decision.size, answer.decision.size + 1} <= set(sizes)
    assert waiting_document(answer)["sizes"][sizes.index(answer.decision.size)]["isChosen"]


def test_term_is_formatted_by_its_label():
    nodes = [node("a", free=2, labels={"zone": "x"})]
    planned = planned_of(nodes, [gang("me", size=2, serial=60, terms=[apart("", key="zone")])])

    [answer] = [answer_about(planned, one.key) for one in planned.snapshot.gangs]

    assert "its members' nodes need not have different values of zone" in {
        format_change(one.change) for one in answer.helps
    }


@pytest.mark.parametrize(
    ("encoding", "want"),
    [
        pytest.param("utf-8", BLOCKS, id="blocks"),
        pytest.param("ascii", ASCII, id="a terminal without them"),
        pytest.param("latin-1", ASCII, id="letters only"),
        pytest.param(None, ASCII, id="unknown"),
        pytest.param("no-such-code", ASCII, id="an unknown encoding"),
    ],
)
def test_bars_are_drawn_with_what_the_terminal_has(encoding, want):
    assert marks_for(encoding) == want


def test_bars_have_one_scale_and_short_ones_are_seen():
    drawn = bars([(10.0, 30.0), (0.01, 0.0), (0.0, 0.0)], ASCII)

    assert drawn == ["#" * 10 + "-" * 30, "#", "#"]
    assert bars([(0.0, 0.0)], ASCII) == [""]


def test_others_that_would_start_later_are_named():
    assert delays_line([]) == "No other gang would start later."
    assert delays_line([("default/a", 60.0), ("default/b", float("inf"))]) == (
        "Gangs that would start later: default/a by 1 min, default/b indefinitely."
    )


def test_change_of_another_kind_is_a_mistake():
    with pytest.raises(TypeError):
        format_change(Promises.NONE)
