"""All of our routes; Streamlit adds its own."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

from server.api_v1.routes import routes as api_v1_routes
from server.base_path import OwnRoute
from server.classroom.routes import routes as classroom_routes
from server.editor_api.routes import routes as editor_api_routes
from server.embed import routes as embed_routes
from server.modules import routes as module_routes

# Addresses that visitors guess from the names of pages in the menu
GUESSED_PATHS = {"/playground": "/", "/lessons": "/learn", "/tokenizers": "/catalog"}


def redirect_to(page: str) -> Callable[[Request], RedirectResponse]:
    """Returns the endpoint that redirects a guessed address to the page's own address, and keeps the query."""

    def redirect(request: Request) -> RedirectResponse:
        path = request.scope.get("root_path", "") + page
        return RedirectResponse(f"{path}?{request.url.query}" if request.url.query else path)

    return redirect


routes = [*editor_api_routes, *classroom_routes, *api_v1_routes, *embed_routes, *module_routes]
routes += [Route(path, redirect_to(page)) for path, page in GUESSED_PATHS.items()]
routes = [OwnRoute(route) for route in routes]
