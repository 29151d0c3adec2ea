"""What runs: the operator's parts, put together and taken apart in order."""
