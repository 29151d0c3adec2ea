"""Which gangs give way to more urgent ones."""
