"""What members are told of each other: variables and files, made from the gang, its attempt and its members alone.

One module for each set. Every set is described in docs/run-your-job.md, which a test compares with them.
"""
