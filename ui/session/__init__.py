"""One visitor: the state, the choices and their address, the synchronization with the browser, imported pages."""
