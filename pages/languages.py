"""Languages: what the same sentences cost in each of them, and why; several views of one question."""

from ui.languages import views

views.draw()
