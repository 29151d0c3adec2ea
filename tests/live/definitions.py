"""Definitions of kinds whose end the API server has forgotten.

Kubernetes 1.36 does not reconcile a definition again that is deleted while the storage of its kind is being prepared.
This happens where another definition of its group was just deleted. Any change of the definition makes it reconcile.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sandbox import ApiError, Sandbox

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PAUSE_SECONDS = 2.0


@contextmanager
def definitions_that_end(api: Sandbox) -> Iterator[None]:
    """See to it for the length of the block that definitions that were deleted come to their end."""
    over = threading.Event()
    watchman = threading.Thread(target=_remind_until, args=(over, api), daemon=True)
    watchman.start()
    try:
        yield
    finally:
        over.set()
        watchman.join()


def _remind_until(over: threading.Event, api: Sandbox) -> None:
    number = 0
    while not over.wait(PAUSE_SECONDS):
        number += 1
        for definition in api.request("GET", DEFINITIONS)["items"]:
            if "deletionTimestamp" in definition["metadata"]:
                # It may have come to its end meanwhile.
                with suppress(ApiError):
                    _change(api, definition["metadata"]["name"], str(number))


def _change(api: Sandbox, name: str, value: str) -> None:
    body = {"metadata": {"annotations": {"lockstep.dev/looked-at": value}}}
    api.request("PATCH", f"{DEFINITIONS}/{name}", body)
