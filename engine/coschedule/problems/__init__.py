"""The problems of four papers, a folder for each paper; the operator uses none of them."""
