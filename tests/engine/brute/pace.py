"""How uneven nodes are [D 2.3], and what members that wait for each other can count on [D 3.2], by definition."""

from fractions import Fraction


def total_power(weights):
    """(2.2)."""
    total = Fraction(0)
    for weight in weights:
        total += weight
    return total


def heterogeneity(weights):
    """(2.3)."""
    away = Fraction(0)
    for weight in weights:
        away += 1 - weight
    return away / len(weights)


def common_power(weights, free):
    """Return the most power that every node can give: of all powers that some node has, the largest all have."""
    powers = [Fraction(weight) * Fraction(share) for weight, share in zip(weights, free, strict=True)]
    return max(power for power in powers if not any(other < power for other in powers))


def slices_that_finish_together(weights, free, slices):
    """Count, node by node, the slices a member needs to do what the weakest node does in all its free ``slices``."""
    work = common_power(weights, free) * slices
    needed = []
    for weight in weights:
        count = 0
        while count * Fraction(weight) < work:
            count += 1
        needed.append(count)
    return needed
