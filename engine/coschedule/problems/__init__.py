"""The problems of four papers, one folder for each paper; the planner of a queue does not use them.

[A 2] stands for section 2 of the paper [A]. docs/algorithms.md lists the papers [A], [S], [D] and [C].
"""
