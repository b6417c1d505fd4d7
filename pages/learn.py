"""Lessons: a question, a guess, the computed answer, and a text of one's own."""

import streamlit as st

from ui.learn import page as learn
from ui.learn import plans
from ui.widgets import encoding_component

encoding_component.go_to_requested_why()
lesson, at, lesson_words, page = learn.chosen()
for_learners, for_teachers = st.columns([5, 3], gap="large")
with for_learners:
    learn.show(lesson, at, lesson_words, page)
    learn.turn(lesson, at, page)
with for_teachers:
    learn.lead(lesson, at, page)
    learn.teacher(lesson, lesson_words, page)
    plans.draw(page)
