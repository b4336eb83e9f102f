"""The lecture notes: their examples, their foundations, and the lab that shows them."""
