"""What finished runs tell about how run time falls with the size."""
