"""The request language: answers to JSON requests, one file per problem."""
