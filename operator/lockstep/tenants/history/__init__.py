"""The record of a namespace for its users: the recorder has it, and this server asks for it."""
