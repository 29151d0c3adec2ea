"""Reports the use of fair shares."""
