"""Tables to look at: as text, on a page, in LaTeX and in Markdown."""
