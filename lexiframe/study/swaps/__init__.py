"""What a measure gains when two documents of a ranking change places."""
