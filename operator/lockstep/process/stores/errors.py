"""The error for an operator that can't start."""


class StartError(Exception):
    """The operator can't start; the message says why."""
