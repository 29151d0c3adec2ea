"""What starts with the process: checks of access and rights, garbage collection, and running tasks side by side."""
