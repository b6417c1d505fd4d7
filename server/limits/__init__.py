"""The limits of every route and socket: how much visitors may send and hold at a time.

Fifty people behind one address who type and open files reach none of them. `docs/http.md` lists them for users.
"""

MB = 1_000_000

# bytes in flight: bodies and messages until they are answered, and answers until the client has read them
MAX_BYTES_IN_FLIGHT = 384 * MB
MAX_BYTES_IN_FLIGHT_PER_ADDRESS = 256 * MB  # fifty texts of 5 MB
MAX_UNCOUNTED_BYTES = 20_000  # a smaller message is not counted, so a noisy neighbour cannot block typing

# HTTP
BODY_TIMEOUT_SECONDS = 30  # and one second more for each MIN_BODY_BYTES_PER_SECOND that Content-Length announces
MIN_BODY_BYTES_PER_SECOND = 100_000
BODY_BYTES_PER_SECOND, BODY_BURST_BYTES = 40 * MB, 10 * MB  # read from one address
MAX_DISCARDED_BYTES = 64 * MB  # read of a refused body before the connection is closed
RESPONSE_CHUNK_BYTES = 262_144  # sent in one go
WRITE_TIMEOUT_SECONDS = 30  # without the client reading anything of an answer
IDLE_TIMEOUT_SECONDS = 15  # of a connection without a request

# sockets; server.maxWidgetStateSize bounds the size of a message
EDITOR_SOCKET_PATH = "/api/live"
MESSAGE_TIMEOUT_SECONDS = 30  # from the first byte of a message to its last
MAX_MESSAGE_FRAMES = 4_096
# processor seconds that it takes to parse what one connection sends, without and with the others of its address
OWN_PARSE_SECONDS_PER_SECOND, OWN_PARSE_BURST_SECONDS = 0.002, 0.004  # ten keys a second take half of it
PARSE_SECONDS_PER_SECOND, PARSE_BURST_SECONDS = 0.2, 0.04
MAX_LIVE_SOCKETS_PER_ADDRESS = 500  # one for each person and tab; further editors use HTTP
MIN_CHECKED_MESSAGE_BYTES = 250_000  # a page's message of more bytes is checked for how many fields it has
MAX_PAGES_PER_ADDRESS = 1_000  # open at a time; each takes some 2 MB
NEW_PAGES_PER_SECOND, NEW_PAGE_BURST = 12, 100  # opened from one address; a class opens them together
COMPLEX_MESSAGE_COST = 24  # a message of very many fields counts as this number of new pages
MAX_ADMISSION_DELAY_SECONDS = 10  # that a new page waits; Streamlit's client tries again after 15

# phones that open the page of a class, from one address in one class
JOINS_PER_SECOND, JOIN_BURST = 10, 250

# uploaded files, which Streamlit keeps until their session ends, and uploads in progress
MAX_FILE_BYTES_PER_SESSION, MAX_FILE_BYTES_PER_ADDRESS, MAX_FILE_BYTES = 120 * MB, 300 * MB, 500 * MB
ASSUMED_FILE_BYTES = 42 * MB  # where Content-Length is missing; server.maxUploadSize refuses larger ones

# connections; where none is left, the address with most of them loses its longest-idle one
MAX_OPEN_FILES = 8_192  # some ten connections for each of 200 phones; Linux begins with 1,024, macOS with 256
RESERVED_OPEN_FILES = 384  # for files, pipes, and connections that are just being made or ended
ACCEPT_BATCH = 64  # connections that asyncio accepts before it runs anything else
