"""What is made for the image beside the Dockerfile's own steps: its locks, a root filesystem without Docker, its bill.

The steps themselves are the scripts of the folder above: they need nothing but Python and a shell.
"""
