"""Policies of the spec that end or restart a gang, and what stays of a finished gang. Each file has one policy.

All are pure functions of facts, except ``late_members.py``, which keeps timers.
"""
