"""The recorder: it collects records of gangs, keeps them in a file, and answers questions about them."""
