"""Commands of the recorder: the process itself, and questions about its records."""
