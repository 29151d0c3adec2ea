"""Which runs of a template are kept."""

import random

from lockstep.facts.past_runs import MOST_RUNS, last_runs, run_of


def runs(*sizes):
    """Runs of these sizes, numbered by their factor."""
    return tuple(run_of(1 + number, members=size, slowdown=1, seconds=10) for number, size in enumerate(sizes))


def test_few_runs_are_all_kept():
    some = runs(*[4] * MOST_RUNS)

    assert last_runs(some) == some


def test_oldest_run_goes_first():
    some = runs(*[4] * (MOST_RUNS + 7))

    assert last_runs(some) == some[7:]


def test_last_three_of_each_size_stay():
    some = runs(2, 2, 2, 2, 16, *[4] * 100)

    assert last_runs(some) == (*some[1:5], *some[-46:])


def test_runs_of_fifty_sizes_make_room_all_the_same():
    some = runs(*range(1, MOST_RUNS + 3))

    assert last_runs(some) == some[2:]


def test_any_runs_are_kept_in_their_order_and_as_many_as_there_may_be():
    rnd = random.Random(5)  # noqa: S311 - cases of a test are no secrets
    for _ in range(200):
        some = runs(*[rnd.choice([1, 2, 4, rnd.randint(1, 99)]) for _ in range(rnd.randint(0, 80))])

        kept = last_runs(some)

        assert len(kept) == min(len(some), MOST_RUNS)
        assert list(kept) == [run for run in some if run in kept]
        assert kept[-1:] == some[-1:]


def test_one_by_one_the_same_is_kept_as_at_once_where_one_size_is_usual():
    some, kept = runs(2, 2, 16, *[4] * 100), ()
    for run in some:
        kept = last_runs((*kept, run))

    assert kept == last_runs(some)
