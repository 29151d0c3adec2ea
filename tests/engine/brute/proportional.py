"""How long a proportional load runs, from the definition in [A] 4: every member works as fast as it can."""


def divided_load(times):
    """Divide all of P * T(P); ``times[P - 1]`` is T(P), and larger sizes may not run."""

    def run_time(slowdowns):
        size = len(slowdowns)
        return size * times[size - 1] / _speed(slowdowns) if size <= len(times) else None

    return run_time


def undivided_overhead(serial, overheads):
    """Divide the serial work alone; ``overheads[P - 1]`` is what P members have to do besides."""
    return lambda slowdowns: serial / _speed(slowdowns) + overheads[len(slowdowns) - 1]


def shares_of(slowdowns):
    """Give each member the part of the work that is its part of the speed."""
    return tuple(1 / slowdown / _speed(slowdowns) for slowdown in slowdowns)


def _speed(slowdowns):
    return sum(1 / slowdown for slowdown in slowdowns)
