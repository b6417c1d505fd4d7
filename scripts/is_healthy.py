"""Health check of the container: exits with 0 if the app answers on this machine, at the port in PORT."""

import os
import sys
import urllib.request

try:
    address = f"http://localhost:{os.environ.get('PORT', '8501')}/_stcore/health"
    no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    sys.exit(no_proxy.open(address, timeout=4).status != 200)
except OSError as error:
    sys.exit(f"{address}: {error}")
