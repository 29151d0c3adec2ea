"""Why the operator can't begin."""


class StartError(Exception):
    """The operator can't begin; the sentence says why."""
