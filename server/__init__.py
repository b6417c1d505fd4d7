"""The HTTP server behind the pages, without Streamlit: routes, questions, encodings by key, trainings, downloads."""
