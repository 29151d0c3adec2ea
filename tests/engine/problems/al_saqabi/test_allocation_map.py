"""The allocation map and its events: figure 1 of [S] 3, erratum 5, what each event does, what is refused."""

from fractions import Fraction

import pytest

from coschedule.model.errors import InvalidValueError
from coschedule.problems.al_saqabi.allocation_map import Allocation, AllocationMap
from coschedule.problems.al_saqabi.changes import PieceMove
from coschedule.problems.al_saqabi.events import new_processor, new_vp, processor_exit, submit, vp_exit
from coschedule.problems.al_saqabi.offer_refusals import NothingFree
from engine.brute.pieces import least_turnaround
from engine.problems.al_saqabi.printed import printed_turnaround_in_a_new_slice, printed_wants_a_new_slice

SIX = ["P1", "P2", "P3", "P4", "P5", "P6"]


def alike(*names):
    return dict.fromkeys(names, 1)


def alone(job, slices, *names):
    """Give every processor named one piece."""
    return Allocation(job=job, slices=slices, counts=alike(*names))


FIGURE_1 = AllocationMap(
    speeds=alike(*SIX),
    allocations=(
        alone("J1", (1,), *SIX),
        alone("J2", (2,), *SIX[:2]),
        alone("J3", (2,), *SIX[2:]),
        alone("J4", (3,), "P1"),
        alone("J5", (3,), "P2"),
        alone("J6", (3,), "P3", "P4"),
        alone("J7", (4,), *SIX[:4]),
        alone("J8", (5,), *SIX),
    ),
)


def change_of(change, job):
    return next(one for one in change.jobs if one.job == job)


def refuses_all(free_by_slice, speeds, pieces):
    """Be a policy that never finds a pattern."""
    return NothingFree(slices=len(free_by_slice))


def test_figure_1():
    """[S] 3, page 6."""
    assert FIGURE_1.slices == (1, 2, 3, 4, 5)
    assert FIGURE_1.free == {
        1: frozenset(),
        2: frozenset(),
        3: {"P5", "P6"},
        4: {"P5", "P6"},
        5: frozenset(),
    }
    assert {FIGURE_1.turnaround(one.job) for one in FIGURE_1.allocations} == {5}


def test_processor_exit_in_figure_1_doubles_j1_and_compresses_it():
    """[S] 3, page 7: P2 gets two pieces, those of P5 and P6 go to P3 and P4, and P5 and P6 are free in T1."""
    j1 = change_of(processor_exit(FIGURE_1, "P1"), "J1")

    assert (j1.turnaround_before, j1.turnaround_after) == (5, 10)
    assert {(move.source, move.target, move.count) for move in j1.moves} == {
        ("P1", "P2", 1),
        ("P5", "P3", 1),
        ("P6", "P4", 1),
    }
    assert j1.stays == {"P2": 1, "P3": 1, "P4": 1}
    assert (j1.slices_before, j1.slices_after) == ((1,), (1,))


def test_processors_that_hold_more_of_the_job_are_kept():
    held = {"b": 2, "c": 2, "d": 1, "e": 1}
    before = AllocationMap(speeds=alike("a", *held), allocations=(Allocation(job="one", slices=(0,), counts=held),))

    [one] = processor_exit(before, "e").jobs

    assert (one.moves, one.stays) == ((PieceMove(source="e", target="d", count=1),), {"b": 2, "c": 2, "d": 1})


def test_processor_exit_lets_others_use_what_compression_freed():
    change = processor_exit(FIGURE_1, "P1")
    j3, j4, j7 = (change_of(change, job) for job in ("J3", "J4", "J7"))

    assert (j3.slices_after, j3.turnaround_before, j3.turnaround_after) == ((1, 2, 5), 5, Fraction(10, 3))
    assert (j4.moves, j4.turnaround_after) == ((PieceMove(source="P1", target="P5", count=1),), 5)
    assert (j7.stays, j7.turnaround_after) == ({"P2": 1, "P3": 1, "P4": 1}, 5)


def test_job_without_a_processor_left_in_its_slices_is_submitted_anew():
    full = AllocationMap(speeds=alike("a", "b"), allocations=(alone("one", (0,), "a"), alone("two", (0,), "b")))

    change = processor_exit(full, "a")

    one = change_of(change, "one")
    assert (one.slices_before, one.slices_after, one.moves) == (
        (0,),
        (1,),
        (PieceMove(source="a", target="b", count=1),),
    )
    assert [change_of(change, job).turnaround_after for job in ("one", "two")] == [2, 2]
    assert [allocation.job for allocation in change.after.allocations] == ["one", "two"]


def test_submission_compares_whole_turnarounds():
    """[S] 4.4.1, page 20, erratum 5: T_free and T_min are compared without the other slices; one is added in vain."""
    busy = AllocationMap(speeds=alike("a", "b"), allocations=tuple(alone(f"j{s}", (s,), "a") for s in range(3)))
    on_b, on_both = least_turnaround(2, (1,)), least_turnaround(2, (1, 1))

    change = submit(busy, "new", 2)

    assert printed_wants_a_new_slice(on_b, on_both)
    assert (change.after.slices, change_of(change, "new").turnaround_after) == ((0, 1, 2), 2)
    assert submit(busy, "new", 2, policy=refuses_all).after.turnaround("new") == 4
    assert [change_of(change, f"j{s}").turnaround_after for s in range(3)] == [3, 3, 3]


def test_a_slice_more_makes_a_job_slower():
    """[S] 4.3, page 18, erratum 5: T_min / t would be less than the job takes alone."""
    busy = AllocationMap(speeds=alike("a", "b"), allocations=tuple(alone(f"j{s}", (s,), "a", "b") for s in range(2)))
    by_itself = least_turnaround(2, (1, 1))

    assert printed_turnaround_in_a_new_slice(by_itself, 3) < by_itself
    assert submit(busy, "new", 2).after.turnaround("new") == by_itself * 3


def test_submission_to_an_empty_map_opens_a_slice():
    change = submit(AllocationMap(speeds={"slow": 1, "fast": 4}), "first", 4)

    assert change.after.allocations == (Allocation(job="first", slices=(0,), counts={"fast": 4}),)
    assert change.jobs[0].moves == (PieceMove(source=None, target="fast", count=4),)
    assert (change.jobs[0].turnaround_before, change.jobs[0].turnaround_after) == (None, 1)


def test_submission_takes_a_new_slice_only_when_that_is_faster():
    half = AllocationMap(speeds=alike("a", "b", "c"), allocations=(alone("old", (7,), "a", "b"),))

    change = submit(half, "new", 3)

    assert change_of(change, "new").slices_after == (8,)
    assert change_of(change, "new").turnaround_after == 2
    assert (change_of(change, "old").turnaround_before, change_of(change, "old").turnaround_after) == (1, 2)


def test_new_vp_takes_a_free_processor_of_its_slices():
    change = new_vp(FIGURE_1, "J7")

    j7 = change_of(change, "J7")
    assert j7.moves == (PieceMove(source=None, target="P5", count=1),)
    assert (j7.turnaround_before, j7.turnaround_after) == (5, 5)
    assert all(not one.moves and one.turnaround_after == 5 for one in change.jobs if one.job != "J7")


def test_new_vp_doubles_up_where_nothing_is_free_and_frees_the_rest():
    """[S] 3, page 7: doubling up once costs the whole doubling, so the other pieces double up too."""
    change = new_vp(FIGURE_1, "J1")

    j1 = change_of(change, "J1")
    assert (j1.turnaround_after, len(change.after.find("J1").counts)) == (10, 4)
    assert sum(j1.stays.values()) == 4


def test_new_vp_of_an_unknown_job_is_its_submission():
    assert new_vp(FIGURE_1, "J9").after.find("J9").pieces == 1


def test_vp_exit_of_the_last_piece_removes_an_empty_slice():
    before = AllocationMap(speeds=alike("a", "b"), allocations=(alone("one", (0,), "a"), alone("two", (1,), "a", "b")))

    change = vp_exit(before, "one", "a")

    gone, two = change.jobs
    assert (gone.moves, gone.turnaround_after, gone.slices_after) == (
        (PieceMove(source="a", target=None, count=1),),
        None,
        (),
    )
    assert (change.after.slices, two.turnaround_before, two.turnaround_after) == ((1,), 2, 1)


def test_vp_exit_ends_the_piece_where_it_ran():
    before = AllocationMap(
        speeds={"a": 1, "b": 1}, allocations=(Allocation(job="one", slices=(0,), counts={"a": 3, "b": 1}),)
    )

    [one] = vp_exit(before, "one", "b").jobs

    assert one.moves == (PieceMove(source="b", target=None, count=1), PieceMove(source="a", target="b", count=1))
    assert (one.stays, one.turnaround_before, one.turnaround_after) == ({"a": 2}, 3, 2)


def test_new_processor_is_used_by_the_first_job_it_speeds_up():
    before = AllocationMap(
        speeds=alike("a"),
        allocations=tuple(Allocation(job=f"j{s}", slices=(s,), counts={"a": 2}) for s in range(2)),
    )

    change = new_processor(before, "b", 1)

    first, second = change.jobs
    assert (first.turnaround_before, first.turnaround_after) == (4, 2)
    assert first.slices_after == (0, 1) or len(change.after.find("j0").counts) == 2
    assert second.turnaround_after <= second.turnaround_before


def test_job_that_gains_nothing_stays_where_it_is():
    change = new_processor(AllocationMap(speeds=alike("a"), allocations=(alone("one", (0,), "a"),)), "b", 1)

    assert (change.jobs[0].moves, change.jobs[0].stays) == ((), {"a": 1})


def test_every_round_begins_with_another_job():
    grown = FIGURE_1
    firsts = []
    for index in range(3):
        grown = new_processor(grown, f"new{index}", 1).after
        firsts.append(grown.allocations[0].job)

    assert firsts == ["J2", "J3", "J4"]


def test_policy_is_replaceable():
    change = new_processor(FIGURE_1, "P7", 1, policy=refuses_all)

    assert all(not one.moves for one in change.jobs)


@pytest.mark.parametrize(
    ("call", "want_field"),
    [
        pytest.param(lambda: submit(FIGURE_1, "J1", 1), "job", id="a job twice"),
        pytest.param(lambda: submit(FIGURE_1, "J9", 0), "pieces", id="a job without pieces"),
        pytest.param(lambda: submit(AllocationMap(speeds={}), "J1", 1), "speeds", id="no processors"),
        pytest.param(lambda: vp_exit(FIGURE_1, "J9", "P1"), "job", id="a piece of no job"),
        pytest.param(lambda: vp_exit(FIGURE_1, "J4", "P2"), "job", id="a piece that runs elsewhere"),
        pytest.param(lambda: new_processor(FIGURE_1, "P1", 1), "processor", id="a processor twice"),
        pytest.param(lambda: new_processor(FIGURE_1, "P7", 0), "speeds.P7", id="a processor that stands still"),
        pytest.param(lambda: processor_exit(FIGURE_1, "P7"), "processor", id="a processor that is not there"),
        pytest.param(
            lambda: processor_exit(AllocationMap(speeds=alike("a"), allocations=(alone("j", (0,), "a"),)), "a"),
            "processor",
            id="the last processor",
        ),
        pytest.param(lambda: FIGURE_1.turnaround("J9"), "job", id="the turn-around of no job"),
        pytest.param(lambda: Allocation(job="j", slices=(), counts={"a": 1}), "allocations", id="no slice"),
        pytest.param(lambda: Allocation(job="j", slices=(0,), counts={"a": 0}), "allocations", id="no piece"),
        pytest.param(
            lambda: AllocationMap(speeds=alike("a"), allocations=(alone("j", (0,), "a"), alone("k", (0,), "a"))),
            "allocations",
            id="an entry of two jobs",
        ),
        pytest.param(
            lambda: AllocationMap(speeds=alike("a"), allocations=(alone("j", (0,), "a"), alone("j", (1,), "a"))),
            "allocations",
            id="two allocations of a job",
        ),
        pytest.param(
            lambda: AllocationMap(speeds=alike("a"), allocations=(alone("j", (0,), "b"),)),
            "allocations",
            id="an unknown processor",
        ),
    ],
)
def test_nonsense_is_refused_by_name(call, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        call()

    assert refusal.value.field == want_field
