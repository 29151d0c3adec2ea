"""The request language: answers to JSON requests, one file for each problem."""
