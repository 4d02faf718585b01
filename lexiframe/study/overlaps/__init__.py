"""What follows from rankings and judgments: what to ship, what to trust, what to judge next."""
