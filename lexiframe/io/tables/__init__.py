"""Tables from anywhere: names of columns, ids, numbers, lists of items, other libraries."""
