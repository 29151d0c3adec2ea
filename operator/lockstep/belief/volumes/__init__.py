"""Facts about claims, volumes, storage classes and attachments."""
