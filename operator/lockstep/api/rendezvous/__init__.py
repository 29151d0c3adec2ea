"""Variables and files by which members find each other. They follow only from the gang, its attempt and its members.

Each set of them has a module. docs/run-your-job.md describes every set, and a test compares both.
"""
