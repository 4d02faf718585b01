"""The library inside tools that people already run."""
