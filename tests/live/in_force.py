"""What CPU members have, where no kubelet says so."""

from live.arena import Arena


def put_in_force(arena: Arena, gang: str) -> None:
    """Say of all members what their kubelets would: what is asked for is in force. Else the API server resizes none."""
    for pod in arena.pods(gang):
        resources = pod["spec"]["containers"][0]["resources"]
        [status] = pod["status"]["containerStatuses"]
        arena.patch_pod_status(pod["metadata"]["name"], {"containerStatuses": [{**status, "resources": resources}]})
