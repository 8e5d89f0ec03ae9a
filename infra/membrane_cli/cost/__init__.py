"""`membrane cost`: the price of a month, from the prices that the bench measures."""
