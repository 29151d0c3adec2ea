"""The tests of this folder install, kill and delete: only in clusters that are there to be thrown away."""

SANDBOX = "sandbox"
KIND_PREFIX = "kind-"


class NotOursError(Exception):
    """The context is of a cluster that users may need."""


def refuse_unless_ours(context: str) -> None:
    """Raise NotOursError unless the context is that of a sandbox, or one that kind has made."""
    if context != SANDBOX and not context.startswith(KIND_PREFIX):
        raise NotOursError(
            f"The context {context} is not {SANDBOX} and does not start with {KIND_PREFIX}: nothing was touched."
        )
