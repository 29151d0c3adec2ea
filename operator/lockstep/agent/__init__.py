"""The agent: a program on a node that measures what members get there.

To stay small, it uses only the standard library.
"""
