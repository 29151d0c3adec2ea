"""The problems of four papers, one folder for each paper; the operator does not use them."""
