"""What all actions share: concurrent requests, refusals, deletions, and the window of attempts in progress."""
