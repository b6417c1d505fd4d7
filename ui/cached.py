"""The one door to what is computed once and kept: plain values in, plain values out."""

import streamlit as st

from tokenizer import get_encoding
from tokenizer.hygiene import Finding, findings


@st.cache_data(max_entries=64, show_spinner=False)
def hygiene(text: str, encoding_name: str, special: str) -> list[Finding]:
    """What is hidden in a text, and what it costs in an encoding."""
    encoding = get_encoding(encoding_name)
    return findings(text, lambda part: encoding.encode(part, special=special))
