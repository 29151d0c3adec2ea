"""The start of the process: checks of access and rights, memory management, and tasks that run side by side."""
