"""The core over HTTP, for programs: `/v1`, in JSON."""
