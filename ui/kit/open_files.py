"""The files that visitors have open, which Streamlit keeps."""

from streamlit import runtime


def held(session: str) -> tuple[int, int]:
    """Returns how many bytes of files a session has open, and all sessions together."""
    kept = runtime.get_instance().uploaded_file_mgr.file_storage
    sizes = {one: sum(len(file.data) for file in list(files.values())) for one, files in list(kept.items())}
    return sizes.get(session, 0), sum(sizes.values())
