"""What tests are made of; a case names only what it is about.

``manifests``: what people submit to a real control plane. ``served``: objects as the API server shows them. ``facts``:
facts for belief. ``templates``: pod templates by what the API server says to them. ``mutations``: odd values.
``node_files``: what a node's kernel shows. ``usage``: who used a node's processors.
"""
