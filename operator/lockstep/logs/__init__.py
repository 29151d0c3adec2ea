"""What the log looks like: whom a line is about, and how it is written."""
