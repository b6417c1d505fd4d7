"""The only code that uses internal names of Streamlit; it replaces one method.

- `page_socket`, ASGI middleware, orders the messages of a page's WebSocket; `page_messages` parses them.
- `visitors` reads the runtime's sessions, and prevents the end of a run in the middle of a change.
- `trigger_events` replaces the method that calls a component's callbacks, which is slow for long texts.
- `internals` finds names that a later Streamlit may rename, and logs a line for each missing one.

Tested with Streamlit 1.67. The environment variable `TOKENLOUPE_PATCHES=off` disables everything but the lookups of
`visitors`.
"""
