"""Turns an object that cannot be read into a sentence that names the field."""
