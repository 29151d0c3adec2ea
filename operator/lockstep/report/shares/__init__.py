"""What is reported of fair shares."""
