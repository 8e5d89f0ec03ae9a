"""What a month costs, from the prices that the bench measures."""
