"""Health check of the container: exits with 0 if the app answers on this machine, at the port in PORT."""

import os
import sys
import urllib.request
from urllib.error import HTTPError

# Streamlit's own path, and one of ours that also answers without the base path, below which Streamlit's is then
PATHS = "/_stcore/health", "/api/corrections"

no_proxy, problem = urllib.request.build_opener(urllib.request.ProxyHandler({})), ""
for path in PATHS:
    address = f"http://localhost:{os.environ.get('PORT', '8501')}{path}"
    try:
        sys.exit(no_proxy.open(address, timeout=4).status != 200)
    except OSError as error:
        problem = f"{address}: {error}"
        if not isinstance(error, HTTPError) or error.code != 404:
            break
sys.exit(problem)
