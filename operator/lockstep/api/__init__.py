"""The API of Kubernetes: the client, and one module for each kind that parses and formats the kind."""
