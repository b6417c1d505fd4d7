"""How much visitors may send and hold at a time: all limits that stand before the app, for every route and socket.

Fifty people behind one address, who type and open files, never meet one. `docs/http.md` tells them to whoever asks.
"""

MEGA = 1_000_000

# what is under way: bodies and messages that have not come whole, and answers of /v1 that are not sent
MOST_HELD, MOST_HELD_EACH = 384 * MEGA, 256 * MEGA  # bytes, of all and of an address: fifty texts of 5 MB
BODY_WITHIN, SLOWEST = 30, 100_000  # seconds for a body, and one more for each so many bytes that it announces
MESSAGE_WITHIN = 30  # seconds until a message of a socket is whole
HEAD_WITHIN = 15  # seconds that a connection may take to ask for something

# sockets
LIVE = "/api/live"  # the editor's
MOST_MESSAGE = 6 * MEGA  # bytes of a message to it; one to a page has server.maxWidgetStateSize
MOST_PARTS = 4_096  # that a message comes in
PACE, AT_ONCE = 30, 60  # messages a second, and at once; beyond them the next has to wait
LIVE_PACE, LIVE_AT_ONCE = 120, 240  # the editor's: a question for each key and encoding

# files that visitors have open, or open now; Streamlit keeps them until their session ends
MOST_FILES_EACH, MOST_FILES = 200 * MEGA, 500 * MEGA  # bytes, of a session and of all

# connections: where there is no room for another, whoever has most loses the one that was silent longest
OPEN_FILES = 8_192  # some ten connections for each of 200 phones, and files; Linux begins with 1,024, macOS with 256
SPARE_FILES = 384  # for files, pipes, and connections that are just being made or ended
MADE_AT_ONCE = 64  # connections
