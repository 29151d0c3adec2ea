"""The recorder: takes records of gangs in, keeps them in a file, and answers what is on record."""
