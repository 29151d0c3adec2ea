"""Loads D, E and F: gangs that fit nowhere, places that become free, and gangs until none fits."""

import asyncio
import random
from collections import Counter
from time import monotonic

from scale.bursts import Figures, submit
from scale.cluster import CPU, Ground, end, fill
from scale.contenders import Gang
from scale.observer import Observer, quantile

from lockstep.api.client.client import KubeClient

_SIZE = 16
_POLL_SECONDS = 0.25
_SAID_SECONDS = 120.0
_EACH, _PLACES, _TIMES = 8, 512, 20
_LARGEST, _SEED = 256, 1
_CPUS = (1, 2, 4, 8)


async def beside_hopeless(ground: Ground, client: KubeClient, observer: Observer, share: float) -> Figures:
    """Load D: 1,000 gangs that fit on no node, then 200 that fit."""
    hopeless = [Gang(f"hopeless{number}", 2, cpu=2 * CPU) for number in range(max(1, round(1_000 * share)))]
    fitting = [Gang(f"fits{number}", _SIZE) for number in range(max(1, round(200 * share)))]
    began = monotonic()
    await submit(ground, client, observer, hopeless)
    reasons = asyncio.create_task(_until_said(ground, client, len(hopeless), began))
    begun = monotonic()
    await submit(ground, client, observer, fitting)
    names = [gang.name for gang in fitting]
    await observer.until(lambda: all(observer.whole(name, _SIZE) for name in names))
    placed = monotonic() - begun
    return {"s until those that fit are bound": placed, "s until the others say why they wait": await reasons}


async def _until_said(ground: Ground, client: KubeClient, gangs: int, began: float) -> float:
    """For how long not all of so many gangs say why they wait; inf where they do not in two minutes."""
    while monotonic() - began < _SAID_SECONDS:
        if await ground.contender.saying_why(client) >= gangs:
            return monotonic() - began
        await asyncio.sleep(_POLL_SECONDS)
    return float("inf")


async def places_become_free(ground: Ground, client: KubeClient, observer: Observer, share: float) -> Figures:
    """Load E: the cluster is full; 512 places become free for a gang that waits, 20 times."""
    others = await fill(client, ground.nodes, each=_EACH, cpu=CPU // _EACH)
    places, seconds = max(1, round(_PLACES * share)), []
    for number in range(max(1, round(_TIMES * share))):
        gang = Gang(f"e{number}", places, cpu=CPU // _EACH)
        await submit(ground, client, observer, [gang])
        await _until_said(ground, client, 1, monotonic())
        ended, others = others[:places], others[places:]
        await end(client, ended)
        free = monotonic()
        await observer.until(lambda name=gang.name: observer.whole(name, places))
        seconds.append(monotonic() - free)
    return {
        "s from the last free place to the last bind, p50": quantile(sorted(seconds), 0.5),
        "s from the last free place to the last bind, longest": max(seconds),
    }


async def until_none_fits(ground: Ground, client: KubeClient, observer: Observer, share: float) -> Figures:
    """Load F: gangs of 1 to 256 members, one after the other, until the first that is not placed.

    A packing of that gang exists if the free places for its members, node by node, are enough.
    """
    chance, used = random.Random(_SEED), Counter[str]()  # noqa: S311 - the same gangs for each contender
    largest = max(2, round(_LARGEST * share))
    while True:
        gang = Gang(f"f{len(observer.submitted)}", chance.randint(1, largest), chance.choice(_CPUS))
        await submit(ground, client, observer, [gang])
        if not await _is_placed(ground, client, observer, gang):
            break
        used.update({node: gang.cpu * count for node, count in observer.nodes_of(gang.name).items()})
    places = sum((CPU - used[node]) // gang.cpu for node in ground.nodes)
    return {
        "% of CPU in use at the first refusal": 100 * used.total() / (CPU * len(ground.nodes)),
        "members of the refused gang": gang.size,
        "free places for them": places,
    }


async def _is_placed(ground: Ground, client: KubeClient, observer: Observer, gang: Gang) -> bool:
    """Whether the gang is bound; False once it says why it waits."""
    refused = asyncio.create_task(_until_said(ground, client, 1, monotonic()))
    bound = asyncio.create_task(observer.until(lambda: observer.whole(gang.name, gang.size)))
    await asyncio.wait((refused, bound), return_when=asyncio.FIRST_COMPLETED)
    is_bound = bound.done()
    for task in (refused, bound):
        task.cancel()
    return is_bound
