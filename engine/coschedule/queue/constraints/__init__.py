"""Which nodes a gang's members may run on, apart from resources."""
