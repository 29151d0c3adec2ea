"""[A]: which nodes one gang should use, how many, and when."""
