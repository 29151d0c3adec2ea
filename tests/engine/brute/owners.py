"""What owners who come back cost a run, summed up instant by instant from the definition."""

import math


def lost_by_steps(forecasts, nodes, start, finish, interval, steps=20_000):
    """Return (probability, seconds lost) of a run on these nodes, by the midpoint rule over so many steps."""
    step = (finish - start) / steps
    away, seconds = 1.0, 0.0
    for number in range(steps):
        time = start + (number + 0.5) * step
        rate = sum(hazard_at(forecasts, node, time) for node in nodes)
        since = (time - start) % interval if math.isfinite(interval) else time - start
        back = away * (1 - math.exp(-rate * step))
        seconds += back * since
        away -= back
    return 1 - away, seconds


def hazard_at(forecasts, node, time):
    """Return how likely the owner of a node comes back in the second around a time, if away until then."""
    edges, returns = forecasts.edges.tolist(), forecasts.returns[node].tolist()
    if time < edges[0]:
        return 0.0
    hour = min(sum(time >= edge for edge in edges) - 1, len(returns) - 1)
    return -math.log(1 - returns[hour]) / (edges[hour + 1] - edges[hour])
