"""What a release consists of: files that an administrator puts into a registry, an index or a folder of his own.

Nothing here is published. The same commit gives the same bytes, but for the image's archive.
"""
