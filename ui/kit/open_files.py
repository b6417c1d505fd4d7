"""The files that visitors have open, which Streamlit keeps."""

from streamlit import runtime


def held() -> dict[str, int]:
    """Returns how many bytes of files each session has open; what came for one that is over goes first.

    Streamlit lets files go with their session, and takes one that was on its way then all the same.
    """
    here = runtime.get_instance()
    kept, sessions = here.uploaded_file_mgr.file_storage, {one.session.id for one in here._session_mgr.list_sessions()}
    for session in kept.keys() - sessions:
        here.uploaded_file_mgr.remove_session_files(session)
    return {session: sum(len(file.data) for file in list(files.values())) for session, files in list(kept.items())}
