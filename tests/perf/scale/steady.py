"""Load C: gangs that come and go on a cluster on which very many pods run."""

import asyncio
from time import monotonic

from scale.bursts import Figures, submit
from scale.cluster import Ground, end, fill
from scale.contenders import Gang
from scale.observer import Observer, quantile

from lockstep.api.client.client import KubeClient

_RUNNING_EACH = 9
_SIZE, _GANGS_EACH, _SECONDS = 16, 2, 100


async def come_and_go(ground: Ground, client: KubeClient, observer: Observer, share: float) -> Figures:
    """Nine pods of others run on each node; each second two gangs of 16 come, and as many pods of others end."""
    others = await fill(client, ground.nodes, each=_RUNNING_EACH, cpu=1)
    names: list[str] = []
    began = monotonic()
    for second in range(max(1, round(_SECONDS * share))):
        await asyncio.sleep(began + second - monotonic())
        gangs = [Gang(f"c{second}x{number}", _SIZE) for number in range(_GANGS_EACH)]
        names += [gang.name for gang in gangs]
        ended, others = others[: _SIZE * _GANGS_EACH], others[_SIZE * _GANGS_EACH :]
        await asyncio.gather(submit(ground, client, observer, gangs), end(client, ended))
    await observer.until(lambda: all(observer.whole(name, _SIZE) for name in names))
    landing = observer.landing(names)
    return {
        "s from created to last bind, p50": quantile(landing, 0.5),
        "s from created to last bind, p99": quantile(landing, 0.99),
        "s that a gang was bound in part, longest": quantile(observer.spread(names), 1.0),
    }
