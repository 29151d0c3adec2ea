"""Problem ``compressPools``: the least turn-around of a job in pools of architectures, on the fewest processors."""

from collections.abc import Mapping
from typing import Any

from coschedule.model.reading import join, read_integer, read_list, read_object
from coschedule.problems.al_saqabi.compress import Pool, compress_pools
from coschedule.requests.numbers import NumberFormat, number_format_of
from coschedule.requests.speeds import read_speeds


def answer_compress_pools(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``turnaround``, and ``processors`` and ``counts`` with one list for each pool."""
    read_object(request, "", required=("problem", "pools"), optional=("id",))
    numbers = number_format_of(request["pools"])
    found = compress_pools([_read_pool(item, path, numbers) for path, item in read_list(request["pools"], "pools")])
    return {
        "turnaround": numbers.write(found.turnaround),
        "processors": [pool.processors.tolist() for pool in found.pools],
        "counts": [pool.counts.tolist() for pool in found.pools],
    }


def _read_pool(value: Any, path: str, numbers: NumberFormat) -> Pool:
    fields = read_object(value, path, required=("pieces", "speeds"))
    return Pool(
        pieces=read_integer(fields["pieces"], join(path, "pieces")),
        speeds=read_speeds(fields["speeds"], join(path, "speeds"), numbers),
    )
