"""True claims and changed ones, made from the sentences of a book."""
