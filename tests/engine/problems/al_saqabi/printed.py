"""The algorithms of [S] as they are printed, to show where they fail.

The text has no page numbers. Pages are counted from 1 by its breaks: a footnote, or a sentence cut in two. A stretch
between two breaks that is as long as two pages counts as two; where it does not say on which of them, both are given.
"""

import math
from fractions import Fraction


def printed_mtat(pieces, speeds):
    """[S] 4.1, steps 1 to 5, pages 10-11: floors, then one piece more for those with the lowest Drag."""
    shares = [Fraction(pieces) * speed / sum(speeds) for speed in speeds]
    counts = [math.floor(share) for share in shares]
    drag = [(math.ceil(share) - share) / speed for share, speed in zip(shares, speeds, strict=True)]
    order = sorted(range(len(speeds)), key=lambda i: (drag[i], counts[i] == 0, i))
    for index in order[: pieces - sum(counts)]:
        counts[index] += 1
    return counts, max(Fraction(count) / speed for count, speed in zip(counts, speeds, strict=True))


def printed_compression(pieces, speeds, counts, turnaround):
    """[S] 4.2, steps 1 to 3, pages 14-15: move pieces away from the processors that have fewest."""
    most = [turnaround * speed for speed in speeds]
    kept = {i for i in range(len(speeds)) if math.floor(most[i]) > 0}
    counts = list(counts)
    free = sum(math.floor(most[i]) for i in kept) - pieces
    roomy = [i for i in kept if most[i] - counts[i] >= 1]
    for i in sorted(kept, key=lambda i: counts[i]):
        if counts[i] > free:
            continue
        free -= counts[i]
        for j in roomy:
            while j != i and counts[i] and most[j] - counts[j] >= 1:
                counts[i] -= 1
                counts[j] += 1
    return [count for count in counts if count]


def printed_expansion(free_by_slice, speeds):
    """[S] 4.3, page 19: for each column its free entries in every column that has them; the largest such pattern."""
    columns = [set(names) for names in free_by_slice]
    sizes = [
        sum(speeds[name] for name in own) * sum(own <= other for other in columns) if own else 0 for own in columns
    ]
    return max(sizes)


def printed_wants_a_new_slice(turnaround_free, turnaround_all):
    """[S] 4.4.1, page 20: existing free capacity is used if T_free is smaller than or equal to T_min."""
    return turnaround_free > turnaround_all


def printed_turnaround_in_a_new_slice(turnaround_all, slices):
    """[S] 4.3, page 18: in a new time slice the turn-around would be T_min / tau."""
    return turnaround_all / slices
