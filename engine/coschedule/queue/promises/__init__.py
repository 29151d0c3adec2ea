"""The promises to waiting gangs, and the order of planning that keeps them."""
