"""What we hold true: the newest facts, what is assumed beyond them, and frozen pictures of both."""
