"""The files that visitors have open, which Streamlit keeps."""

from streamlit import runtime


def held() -> dict[str, int]:
    """Returns how many bytes of files each session has open."""
    kept = runtime.get_instance().uploaded_file_mgr.file_storage
    return {session: sum(len(file.data) for file in list(files.values())) for session, files in list(kept.items())}
