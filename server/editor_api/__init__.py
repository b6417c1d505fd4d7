"""The editor API: questions of the pages' components, over HTTP and over a socket."""
