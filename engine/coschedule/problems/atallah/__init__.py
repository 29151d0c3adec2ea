"""[A]: which nodes one gang should take, how many, and when."""
