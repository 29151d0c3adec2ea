"""What members that wait for each other can count on, from the definitions in [D 3.2]."""

from fractions import Fraction


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
