"""The pictures of the documentation: drawn from answers of the engine, by code of our own."""
