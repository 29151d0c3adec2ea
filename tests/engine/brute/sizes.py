"""Every combination of sizes, one by one: what choosing sizes is compared with."""

from itertools import product


def best_gain(now, idle, runs, waiting, *, slowdown, until, room):
    """The greatest gain of all combinations on so many equal nodes, and by the formula as it is written down.

    Only the nodes of fixed members may differ, in ``slowdown`` and ``until``. Gangs that run for more than 15 minutes
    at each size leave some idle nodes, as ``room`` says. Gangs with a deadline do not, nor those that need all nodes.
    """
    choices = [list(of_run(now, run, slowdown, until)) for run in runs]
    choices += [[(0, 0.0), *of_waiting(now, gang)] for gang in waiting]
    seats = idle + sum(run.size for run in runs)
    longer = [run.deadline is None for run in runs] + [
        min(map(gang.work.float_time, sizes_of(gang))) > 900 and gang.sizes.least <= room.most for gang in waiting
    ]
    most = sum(run.size for run in runs if run.deadline is None) + max(idle - room.idle, 0)

    def fits(sizes):
        return sum(sizes) <= seats and sum(size for size, is_long in zip(sizes, longer, strict=True) if is_long) <= most

    return max(sum(gain for _, gain in one) for one in product(*choices) if fits([size for size, _ in one]))


def of_run(now, run, slowdown, until):
    """The sizes that a run may have, and what each gains: its fixed members stay, and all end with the slowest."""
    working = [node for part in run.fixed if part.is_work for node in part.nodes]
    pace = max([1.0, *(slowdown[node] for node in working)])
    closes = min((until[node] for part in run.fixed for node in part.nodes), default=float("inf"))
    as_it_is = worth(now, run, run.size, run.left, others=len(working)) / pace
    yield run.size, 0.0
    if run.end - now >= 3600 and now - run.changed >= run.terms.min_interval:
        rests = {size: run.left * run.work.float_time(size + len(working)) * pace for size in sizes_of(run)}
        ends = {size: now + run.terms.restart_time + rest for size, rest in rests.items() if size != run.size}
        for size in by_deadline(run, {size: end for size, end in ends.items() if end <= closes}):
            works = 1 - run.terms.restart_time / min(rests[size], 1000)
            gain = worth(now, run, size, run.left, others=len(working)) / pace * works - as_it_is
            is_wanted = run.deadline is not None and ends[size] <= run.deadline < run.end
            yield size, max(gain, 1e-6 * as_it_is) if is_wanted else gain


def by_deadline(run, ends):
    """The sizes that a deadline leaves, of those with these ends."""
    if run.deadline is None:
        return [*ends]
    meets = [size for size, end in ends.items() if end <= run.deadline]
    if run.end <= run.deadline:
        return [size for size in meets if size < run.size]
    return [min(meets)] if meets else [*ends]


def of_waiting(now, gang):
    """The sizes with which a gang may start, and what each gains."""
    for size in sizes_of(gang):
        yield size, worth(now, gang, size, 1.0)


def sizes_of(gang):
    return gang.sizes.between(1, gang.sizes.maximum).tolist()


def worth(now, gang, size, left, *, others=0):
    alone, fewest = gang.work.float_time(1), gang.work.float_time(gang.sizes.least + others)
    speed = alone / gang.work.float_time(size + others)
    return speed * (1 + (now - gang.created) / fewest) / (left * alone) ** 0.75
