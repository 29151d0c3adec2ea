"""Whose gang is planned next: fair shares among groups of namespaces."""
