"""What happens once at the start: checks, rights, first requests, memory and threads."""
