"""Which nodes a gang's members may run on, resources aside."""
