"""A class: one teacher's step on many phones, which need no Streamlit; all in memory, until the class ends."""
