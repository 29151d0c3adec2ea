"""Loads A and B: gangs that all come at once to an empty cluster."""

import asyncio
from collections.abc import Iterable, Mapping
from time import monotonic

from scale.cluster import Ground
from scale.contenders import Gang
from scale.observer import Observer, quantile
from scale.spent import Spent, spent

from lockstep.api.client.client import KubeClient

Figures = Mapping[str, float]
"""What was measured, by its name with its unit."""

# The first and the last pods of a burst whose speeds are compared.
_END_PODS = 10_000


async def loads_of_scheduler_perf(ground: Ground, client: KubeClient, observer: Observer, share: float) -> Figures:
    """Load A: the gangs of upstream's ``scheduler_perf``, 1,000 of 3, 3 of 1,000, and 9 of 1,000."""
    figures: dict[str, float] = {}
    for count, size in ((1_000, 3), (3, 1_000), (9, 1_000)):
        few, small = (_share_of(count, share), size) if count > size else (count, _share_of(size, share))
        gangs = [Gang(f"a{count}x{number}", small) for number in range(few)]
        burst = await _burst(ground, client, observer, gangs)
        figures |= {f"{count} × {size}: {name}": value for name, value in burst.items()}
    return figures


async def very_many_pods(ground: Ground, client: KubeClient, observer: Observer, share: float) -> Figures:
    """Load B: 50,000 pods as 3,125 gangs of 16, and 50,000 as 10 gangs of 5,000."""
    figures: dict[str, float] = {}
    for count, size in ((3_125, 16), (10, 5_000)):
        few, small = (_share_of(count, share), size) if count > size else (count, _share_of(size, share))
        gangs = [Gang(f"b{count}x{number}", small) for number in range(few)]
        burst = await _burst(ground, client, observer, gangs)
        figures |= {f"{count:,} × {size:,}: {name}": value for name, value in burst.items()}
    return figures


async def _burst(ground: Ground, client: KubeClient, observer: Observer, gangs: list[Gang]) -> Figures:
    before, began = spent(ground.sandbox, ground.operator, ground.folder), monotonic()
    await submit(ground, client, observer, gangs)
    pods = sum(gang.size for gang in gangs)
    names = {gang.name for gang in gangs}
    is_whole = await observer.until(lambda: _bound_of(observer, names) == pods)
    cost = spent(ground.sandbox, ground.operator, ground.folder).since(before)
    figures = _figures(observer, names, began, cost)
    return figures if is_whole else {"pods that were not bound": pods - _bound_of(observer, names), **figures}


async def submit(ground: Ground, client: KubeClient, observer: Observer, gangs: Iterable[Gang]) -> None:
    """Submit gangs at once, as many requests at a time as the client sends."""

    async def one(gang: Gang) -> None:
        observer.submitted[gang.name] = monotonic()
        await ground.contender.submit(client, gang)

    await asyncio.gather(*map(one, gangs))


def _figures(observer: Observer, names: set[str], began: float, cost: Spent) -> dict[str, float]:
    times = sorted(time for name in names for time in observer.bound.get(name, {}).values())
    landing = observer.landing(names)
    pods, few = len(times), min(_END_PODS, len(times) // 2)
    cpu = {f"ms of CPU of {name} a pod": 1_000 * seconds / pods for name, seconds in sorted(cost.cpu.items())}
    return {
        "pods/s": pods / (times[-1] - began),
        "pods/s of the first": few / (times[few] - began),
        "pods/s of the last": few / (times[-1] - times[-1 - few]),
        "s from created to last bind, p50": quantile(landing, 0.5),
        "s from created to last bind, p99": quantile(landing, 0.99),
        "s that a gang was bound in part, p99": quantile(observer.spread(names), 0.99),
        "writes a pod": cost.writes / pods,
        **cpu,
    }


def _bound_of(observer: Observer, names: set[str]) -> int:
    return sum(len(observer.bound.get(name, ())) for name in names)


def _share_of(number: int, share: float) -> int:
    return max(1, round(number * share))
