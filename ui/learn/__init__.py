"""The parts of the page Lessons, with the teacher's side of a class."""
