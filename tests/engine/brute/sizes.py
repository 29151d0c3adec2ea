"""Every combination of sizes, one by one: what choosing sizes is compared with."""

from itertools import product


def best_gain(now, idle, runs, waiting):
    """The greatest gain of all combinations on so many equal nodes, and by the formula as it is written down."""
    choices = [list(of_run(now, run)) for run in runs]
    choices += [[(0, 0.0), *of_waiting(now, gang)] for gang in waiting]
    room = idle + sum(run.size for run in runs)
    return max(sum(gain for _, gain in one) for one in product(*choices) if sum(size for size, _ in one) <= room)


def of_run(now, run):
    """The sizes that a run may have, and what each gains."""
    as_it_is = worth(now, run, run.size, run.left)
    yield run.size, 0.0
    if run.end - now >= 3600 and now - run.changed >= run.terms.min_interval:
        for size in sizes_of(run):
            if size != run.size:
                rest = run.left * run.work.float_time(size)
                works = 1 - run.terms.restart_time / min(rest, 1000)
                yield size, worth(now, run, size, run.left) * works - as_it_is


def of_waiting(now, gang):
    """The sizes with which a gang may start, and what each gains."""
    for size in sizes_of(gang):
        yield size, worth(now, gang, size, 1.0)


def sizes_of(gang):
    return gang.sizes.between(1, gang.sizes.maximum).tolist()


def worth(now, gang, size, left):
    alone, fewest = gang.work.float_time(1), gang.work.float_time(gang.sizes.least)
    speed = alone / gang.work.float_time(size)
    return speed * (1 + (now - gang.created) / fewest) / (left * alone) ** 0.75
