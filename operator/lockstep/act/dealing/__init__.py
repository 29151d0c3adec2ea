"""The operator's part in dealing pieces of work to members, which a dealer in a pod of the gang does.

It creates the key of each attempt, and reads and keeps the states of pieces.
"""
