"""What holds of the pods of gangs in every life."""

from collections import Counter, defaultdict

from live.watching import PodWatch


def check_ranks(seen: PodWatch, rejoining: str) -> None:
    """What holds, but where time was turned back: an attempt's number is given twice there.

    Ranks of the gang that is ``rejoining`` may come back once, in the same attempt.
    """
    pods_by_name = Counter((pod.name, pod.gang) for pod in seen.ever.values() if pod.gang)
    too_often = {name for (name, gang), times in pods_by_name.items() if times > (2 if gang == rejoining else 1)}
    assert not too_often, f"ranks of an attempt came too often: {too_often}"


def check_attempts(seen: PodWatch) -> None:
    """What holds at every moment."""
    for pods in seen.history:
        attempts = defaultdict(set)
        for pod in pods.values():
            attempts[pod.gang].add(pod.attempt)
        at_once = {gang: found for gang, found in attempts.items() if gang and len(found) > 1}
        assert not at_once, f"pods of several attempts at once: {at_once}"
