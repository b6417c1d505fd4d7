"""All of our routes; Streamlit adds its own."""

from server.api_v1.routes import routes as api_v1_routes
from server.classroom.routes import routes as classroom_routes
from server.editor_api.routes import routes as editor_api_routes
from server.embed import routes as embed_routes
from server.modules import routes as module_routes

routes = [*editor_api_routes, *classroom_routes, *api_v1_routes, *embed_routes, *module_routes]
