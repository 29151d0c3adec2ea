"""Variables and files by which members find each other, from the gang, its attempt and its members alone.

Each set has a module. docs/run-your-job.md describes every set, and a test compares them.
"""
