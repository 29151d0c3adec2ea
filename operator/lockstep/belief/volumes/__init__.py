"""What is observed of claims, volumes, storage classes and attachments."""
