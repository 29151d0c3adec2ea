"""What was asked can't be answered."""


class AnswerError(Exception):
    """There is no answer, for a reason that is no mistake of ours; the message is one sentence."""


class NotAllowedError(AnswerError):
    """Who asks lacks a right, which the message names."""
