"""What answers beside the pages, without Streamlit: routes, questions, encodings by key, trainings, downloads."""
