"""The only code that uses internal names of Streamlit. It has five patches; each changes what Streamlit does:

- `page_socket`, ASGI middleware, orders the messages of a page's WebSocket; `page_messages` parses them.
- `trigger_events` replaces the method that calls a component's callbacks, which is slow for long texts.
- `visitors.uninterruptible` prevents the end of a run in the middle of a change.
- `visitors.draw_changed_page` draws the page if a press came in the message of a fragment.
- `visitors.watch_no_files` ends the file watcher of a visitor who reconnects.

The rest only looks:

- `visitors` reads the runtime's sessions, and removes the files of ended ones.
- `internals` finds names that a later Streamlit may rename, and logs a line for each missing one.

Tested with Streamlit 1.67. The environment variable `TOKENLOUPE_PATCHES=off` disables everything but the lookups of
`visitors`.
"""
