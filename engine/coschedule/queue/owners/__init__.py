"""Node owners who may come back: the forecast, the work that a return would cost, and the risk that a gang takes."""
