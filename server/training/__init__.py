"""The queue of trainings, and public corpora to train on."""
