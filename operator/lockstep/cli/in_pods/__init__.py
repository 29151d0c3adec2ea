"""Commands that run in pods of gangs, not by a person's hand. They import little."""
