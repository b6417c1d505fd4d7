"""How much visitors may send and hold at a time: all limits that stand before the app, for every route and socket.

Fifty people behind one address, who type and open files, never meet one. `docs/http.md` tells them to whoever asks.
"""

MEGA = 1_000_000

# what is under way: bodies and messages until they are answered, and answers that are not taken yet
MOST_HELD, MOST_HELD_EACH = 384 * MEGA, 256 * MEGA  # bytes, of all and of an address: fifty texts of 5 MB
SMALL = 20_000  # bytes that any connection may hold beside
BODY_WITHIN, SLOWEST = 30, 100_000  # seconds for a body, and one more for each so many bytes that it announces
BODY_PACE, BODIES_AT_ONCE = 40 * MEGA, 10 * MEGA  # bytes of bodies a second that are read from an address, and at once
MESSAGE_WITHIN = 30  # seconds until a message of a socket is whole
TAKEN_WITHIN = 30  # seconds until something more of an answer is taken
PART = 262_144  # bytes of an answer that are sent in one go
HEAD_WITHIN = 15  # seconds that a connection may take to ask for something

# sockets
LIVE = "/api/live"  # the editor's; a message to any socket has at most server.maxWidgetStateSize
MOST_PARTS = 4_096  # that a message comes in
MAX_LIVE_SOCKETS_PER_ADDRESS = 500  # a class opens one for each person and tab; others are answered without a socket
PACE, AT_ONCE = 30, 60  # messages of a page a second, and at once; beyond them the next has to wait
BEHIND = 30  # seconds that a socket may go on beyond its pace, until it ends: what it has sent would take for ever
NEW_PACE, NEW_AT_ONCE = 12, 100  # pages that are opened from one address; a class comes together
CROWDED = 24  # pages that a message of very many small things counts as
APART, SPREAD = 250, 0.25  # pages opened and messages of pages a second, all together; seconds that one waits for that
PATIENCE = 10  # seconds that a page waits for that; Streamlit's tries again after 15
PIECE = 250_000  # bytes of a message that count as one more

# phones that open the page of a class
JOIN_PACE, JOINS_AT_ONCE = 10, 250  # phones a second, and at once, from one address in one class

# files that visitors have open, or open now; Streamlit keeps them until their session ends
MOST_FILES_EACH, MOST_FILES_OF_ADDRESS, MOST_FILES = 120 * MEGA, 300 * MEGA, 500 * MEGA  # bytes
MOST_FILE = 42 * MEGA  # of a file whose size is not said; more is refused, by server.maxUploadSize

# connections: where there is no room for another, whoever has most loses the one that was silent longest
OPEN_FILES = 8_192  # some ten connections for each of 200 phones, and files; Linux begins with 1,024, macOS with 256
SPARE_FILES = 384  # for files, pipes, and connections that are just being made or ended
MADE_AT_ONCE = 64  # connections that the server accepts before it does anything else
