"""What every room uses: errors, the schemas of tables, codes, hashes, memory, progress and sums."""
