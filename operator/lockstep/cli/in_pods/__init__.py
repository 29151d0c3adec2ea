"""Commands that run in pods of gangs, and that people do not run. They import little."""
