"""What panels ask Prometheus for: the few forms of query that there are, each written once.

Two replicas serve the same metrics. Of what follows from belief both say the same, so the greatest counts; what only
the leader knows is taken from the leader; counters are added up, since what the standby does not do it does not count.
"""

# What distinguishes one process from another; those that a cluster does not have match as empty.
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
    """How fast a counter rises, over all replicas: for what happens all the time."""
    return f"sum{_by(by)} (rate({series(metric, *matchers)}[$__rate_interval]))"


def happened(metric: str, *matchers: str, by: str = "") -> str:
    """How often it happened in the time that the dashboard shows; nothing where it did not."""
    return f"round (sum{_by(by)} ({_increase(metric, *matchers)})) > 0"


def happened_of(*counters: tuple[str, ...]) -> str:
    """How often it happened by all these counters, each with its matchers; nothing where it did not."""
    return f"round ({' + '.join(f'sum ({_increase(*counter)})' for counter in counters)}) > 0"


def held(metric: str, *, by: str) -> str:
    """A gauge on which all replicas agree, by a label; nothing of a value that has none of it."""
    return f"{believed(metric, by=by)} > 0"


def taken(metric: str) -> str:
    """What part of the nodes members of gangs have, of a gauge by state; nothing where there is none of it."""
    in_use = series(metric, 'state="in_use"')
    everything = f"sum (max by (state) ({series(metric)} and {_LEADS}))"
    return f"max ({in_use} and {_LEADS}) / ({everything} > 0)"


def quantile(share: float, histogram: str, *matchers: str, by: str = "") -> str:
    """That quantile of a histogram; nothing where there was nothing to observe."""
    labels = f"le, {by}" if by else "le"
    buckets = f"sum by ({labels}) (rate({series(f'{histogram}_bucket', *matchers)}[$__rate_interval]))"
    return f"histogram_quantile({share}, {buckets}) >= 0"


def mean(histogram: str) -> str:
    """The mean of what a histogram observed; nothing where there was nothing to observe."""
    total, count = (f"sum (rate({series(f'{histogram}_{part}')}[$__rate_interval]))" for part in ("sum", "count"))
    # Not a number, which no observations give, is not at least 0.
    return f"{total} / {count} >= 0"


def _increase(metric: str, *matchers: str) -> str:
    return f"increase({series(metric, *matchers)}[$__range])"


def _by(labels: str) -> str:
    return f" by ({labels})" if labels else ""
