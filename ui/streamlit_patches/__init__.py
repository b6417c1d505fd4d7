"""Everything that touches Streamlit beyond its public names, and only here: one method of it is replaced.

- `page_socket` orders the messages of a page's WebSocket, and `page_messages` reads them: ASGI middleware.
- `visitors` asks the runtime who is there, and keeps a run from being ended in the middle of a change.
- `trigger_events` replaces the method that calls a component back: it holds up everybody where a text is long.
- `internals` finds names that a later Streamlit may rename, and logs a line for each that is missing.

Tested with Streamlit 1.67. The environment variable `TOKENLOUPE_PATCHES=off` starts the app without all of it but
what `visitors` asks.
"""
