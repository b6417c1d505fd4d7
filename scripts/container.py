"""The entry point of the container: serves the app, or with the first argument `class` a class.

    podman run --publish 8501:8501 tokenloupe [OPTION]...
    podman run --publish 8501:8501 tokenloupe class --address 192.168.1.5

Options of the app are those of `python -m ui.launcher`, options of a class those of `scripts/serve_class.py`. PORT is
the port for both, and for the health check.
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(arguments: list[str]) -> int:
    """Serves until it is interrupted; returns the exit code."""
    port = os.environ.get("PORT", "8501")
    if arguments[:1] == ["class"]:
        import serve_class

        return serve_class.main(["--port", port, *arguments[1:]])
    sys.path.insert(0, str(ROOT))
    from ui import launcher

    return launcher.main(["--server.address", "0.0.0.0", "--server.port", port, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
