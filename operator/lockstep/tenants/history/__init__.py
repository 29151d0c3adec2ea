"""The records of a namespace for its users. The recorder has them, and this server requests them."""
