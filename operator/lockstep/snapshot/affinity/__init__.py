"""What running pods require of, and forbid to, the members of a gang."""
