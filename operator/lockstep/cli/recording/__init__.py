"""Commands of the recorder: the process itself, and the questions to what is on record."""
