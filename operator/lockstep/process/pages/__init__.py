"""The pages that the process serves: health, metrics, gates, timeline."""
