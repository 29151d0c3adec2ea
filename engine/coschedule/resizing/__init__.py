"""How large gangs become while they run: which of them change their size, and who starts beside them."""
