"""What holds of the pods of gangs in every life."""

from collections import Counter, defaultdict

from live.watching import PodWatch


def check_ranks(seen: PodWatch) -> None:
    """What holds, but where time was turned back: an attempt's number is given twice there."""
    pods_by_name = Counter(pod.name for pod in seen.ever.values() if pod.gang)
    assert set(pods_by_name.values()) <= {1}, f"a rank of an attempt was there twice: {pods_by_name}"


def check_attempts(seen: PodWatch) -> None:
    """What holds at every moment."""
    for pods in seen.history:
        attempts = defaultdict(set)
        for pod in pods.values():
            attempts[pod.gang].add(pod.attempt)
        at_once = {gang: found for gang, found in attempts.items() if gang and len(found) > 1}
        assert not at_once, f"pods of several attempts at once: {at_once}"
