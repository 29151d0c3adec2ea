"""The HTTP pages that the process serves, and who may read them."""
