"""The errors of questions that can't be answered."""


class AnswerError(Exception):
    """There is no answer; the message is one sentence that says why."""


class NotAllowedError(AnswerError):
    """The user lacks a right, which the message names."""


class QuotaError(AnswerError):
    """A quota of the gang's namespace keeps the gang from being planned."""
