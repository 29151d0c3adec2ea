"""The problems of four papers, one folder for each paper; the planner of a queue does not use them."""
