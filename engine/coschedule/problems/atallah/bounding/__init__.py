"""Finding the least value of a large matrix of choices by bounding blocks of it, without looking at every cell."""
