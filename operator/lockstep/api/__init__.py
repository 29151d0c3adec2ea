"""The API of Kubernetes: the client, and for each kind one module that parses and formats it."""
