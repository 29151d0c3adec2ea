"""Decides how objects that can't be parsed count, with a sentence that names the field."""
