"""A class: a teacher's step on many phones, without Streamlit; all data is in memory until the class ends."""
