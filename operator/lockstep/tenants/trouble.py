"""Reasons why there is no answer now. The sentences say nothing about the cluster; the log has the details."""

from enum import StrEnum


class Trouble(StrEnum):
    """A reason, as a sentence for the caller."""

    OPTIONS_UNKNOWN = "The operator's options are not known now."
    CLUSTER_UNREAD = "The cluster can't be read now."
    NAMESPACE_NEWER = "The cluster was last read before this namespace was created."
    SCHEMA_UNKNOWN = "The CustomResourceDefinition of this kind can't be read now."
    NOT_REVIEWED = "The API server does not say who may read these gangs."
    RECORD_UNREAD = "The record of gangs can't be read now."
    PLAN_FAILED = "Planning failed by an error in Lockstep."


class NoAnswerNowError(Exception):
    """There is no answer now. ``trouble`` is for the caller. The message has the details, and is only for the log."""

    def __init__(self, trouble: Trouble, why: str) -> None:
        super().__init__(why)
        self.trouble = trouble
