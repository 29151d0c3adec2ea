"""What panels ask Prometheus for: the few forms of query that there are, each written once.

Two replicas serve the same metrics. Of what follows from belief both say the same, so the greatest counts; what only
the leader knows is taken from the leader; counters are added up, since what the standby does not do it does not count.
"""

# What tells one process from another; those that a cluster does not have match as empty.
_IDENTITY = ("cluster", "namespace", "job", "instance")
_CHOSEN = ", ".join(f'{label}=~"${label}"' for label in _IDENTITY)
_LEADS = f"on ({', '.join(_IDENTITY)}) lockstep_leader{{{_CHOSEN}}} == 1"


def series(metric: str, *matchers: str) -> str:
    """A metric of the processes that the variables choose."""
    return f"{metric}{{{', '.join((_CHOSEN, *matchers))}}}"


def believed(metric: str, *, by: str = "") -> str:
    """A gauge on which all replicas agree."""
    return f"max{_by(by)} ({series(metric)})"


def leaders(metric: str, *, by: str = "") -> str:
    """A gauge that only the leader knows."""
    return f"max{_by(by)} ({series(metric)} and {_LEADS})"


def rate(metric: str, *matchers: str, by: str = "") -> str:
    """How fast a counter rises, over all replicas; 0 where it has no series yet, if it is not asked for by a label."""
    risen = f"sum{_by(by)} (rate({series(metric, *matchers)}[$__rate_interval]))"
    return risen if by else f"{risen} or vector(0)"


def increase(metric: str, *matchers: str) -> str:
    """By how much a counter has risen in the time that the dashboard shows."""
    return f"sum (increase({series(metric, *matchers)}[$__range]))"


def quantile(share: float, histogram: str, *matchers: str, by: str = "") -> str:
    """That quantile of a histogram; 0 where there was nothing to observe."""
    labels = f"le, {by}" if by else "le"
    buckets = f"sum by ({labels}) (rate({series(f'{histogram}_bucket', *matchers)}[$__rate_interval]))"
    return _or_zero(f"histogram_quantile({share}, {buckets})", like=f"{histogram}_count" if by else "", by=by)


def mean(histogram: str) -> str:
    """The mean of what a histogram observed; 0 where there was nothing to observe."""
    total, count = (f"sum (rate({series(f'{histogram}_{part}')}[$__rate_interval]))" for part in ("sum", "count"))
    return _or_zero(f"{total} / {count}")


def _or_zero(expression: str, *, like: str = "", by: str = "") -> str:
    """Not a number, which 0 observations give, is no number that a panel shows."""
    zero = f"0 * sum by ({by}) ({series(like)})" if like else "vector(0)"
    return f"({expression}) >= 0 or {zero}"


def _by(labels: str) -> str:
    return f" by ({labels})" if labels else ""
