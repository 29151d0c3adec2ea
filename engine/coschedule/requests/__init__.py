"""The request language: JSON requests to answers, a file a problem."""
