"""The operator's part in dealing pieces of work to members. A dealer in a pod of the gang deals the pieces.

The operator creates the key of each attempt, and reads and keeps the states of pieces.
"""
