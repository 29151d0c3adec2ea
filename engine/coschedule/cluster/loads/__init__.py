"""How a gang's work is divided among its members, and the best start and size each way of dividing leads to."""
