"""Rules about a tokenizer."""
