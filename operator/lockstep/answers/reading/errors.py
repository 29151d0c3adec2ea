"""The errors for questions that can't be answered."""


class AnswerError(Exception):
    """There is no answer, for a reason that is no bug; the message is one sentence."""


class NotAllowedError(AnswerError):
    """The user lacks a right, which the message names."""


class QuotaError(AnswerError):
    """A quota of its namespace keeps a gang from being planned."""
