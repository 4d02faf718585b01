"""What is wrong with a file: its rows with their places, its problems, and advice on them."""
