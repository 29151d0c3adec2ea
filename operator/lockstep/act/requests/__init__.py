"""What all actions share: requests side by side, refusals, deletions, the window of attempts under way."""
