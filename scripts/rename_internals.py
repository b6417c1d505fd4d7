"""Renames internal names of Streamlit, uvicorn and websockets one by one, as a later release might, and tests the app.

    python -m venv later && later/bin/pip install -r requirements.txt
    python scripts/rename_internals.py later
    python scripts/rename_internals.py later get_script_run_ctx list_sessions

It changes the packages of the given environment, and restores them after each name. It prints a line for each name:
"dead" (the app does not start), "broken" (with the step of the visit that fails) or "works". The exit code is 1 unless
all work. Names of Streamlit are tried with `streamlit run`, the others with the launcher, which alone uses them.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Error, expect

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests")]
from browser import chromium  # noqa: E402
from e2e.server import Server  # noqa: E402

# names that the app uses or used before, by package
NAMES = {
    "streamlit": """
    get_script_run_ctx get_instance is_active_session _yield_callback _execing _session_mgr
    list_sessions uploaded_file_mgr file_storage remove_session_files get_session_info disconnect_file_watchers
    _dispatch_trigger_callbacks _execute_widget_callback _new_widget_state AppSession
    ScriptRunner RerunData SafeSessionState SessionState Runtime PagesManager MemorySessionStorage
    LocalSourcesWatcher BidiComponentSerde handle_backmsg _run_script _on_script_finished on_script_will_rerun
    register_widget _widget_changed _requests get_external_ip handle_deserialize DataframeSelectionSerde
    VegaLiteStateSerde get_max_widget_state_size_bytes SessionInfo NoOpPathWatcher get_default_path_watcher_class
    _run_script_thread update_watched_modules _call_soon_on_event_loop _enqueued_some_message _remove_stale_widgets
    _event_loop _get_async_objs eventloop need_send_data _cache _session_state _pages_manager
    current_page_script_hash _old_state _new_session_state widget_metadata value_type _rerun_data _state _lock
    _build_full_app_rerun ScriptRequestType _coalesce_replay_trigger_states exec_func_with_error_handling
    _is_stale_widget fragment_ids_this_run request_rerun replay_trigger_states RegisterWidgetResult
    WidgetMetadata formatted_option_to_option_index formatted_option_to_index close_session callbacks
    RerunException
    """,
    "uvicorn": """
    http_protocol_class ws_protocol_class handshake_complete cycle response_complete conn handle_bytes
    handle_connect queue flow transport read_paused handshake_exc
    """,
    "websockets": "reader current_size max_message_size",
}
CASES = [("streamlit", ""), ("uvicorn", "")]  # nothing is renamed
CASES += [(package, name) for package, names in NAMES.items() for name in names.split()]
TEXT, FILE = "hello world", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"one two three four"}


@contextmanager
def renamed(name: str, package: Path) -> Iterator[None]:
    """Renames a name in all Python files of a package within the block."""
    pattern, kept = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)"), {}
    try:
        for file in package.rglob("*.py"):
            source = file.read_text(encoding="utf-8")
            if name and (changed := pattern.sub(f"{name}_later", source)) != source:
                kept[file] = source
                file.write_text(changed, encoding="utf-8")
        yield
    finally:
        for file, source in kept.items():
            file.write_text(source, encoding="utf-8")


def visit(browser: Browser, url: str) -> str:
    """Types, opens another page, returns and opens a file; returns the step that failed, or ""."""
    context = browser.new_context(locale="en-US")
    step = "first tokens"
    try:
        page = context.new_page()
        tokens = page.locator(".tokens[data-tokens]")
        page.goto(url)
        expect(tokens.first).to_be_visible()
        step = "typing"
        area = page.get_by_label("Text to tokenize")
        area.fill(TEXT)
        expect(page.locator('.tokens[data-tokens="2"]')).to_be_visible()
        step = "another page"
        page.get_by_role("link", name="Compare", exact=True).first.click()
        expect(page.locator('.tokens[data-tokens="2"]').first).to_be_visible()
        step = "the text is kept"
        page.goto(url)
        expect(page.locator('.tokens[data-tokens="2"]')).to_be_visible()
        expect(area).to_have_value(TEXT)
        step = "a file"
        page.get_by_role("button", name="Open", exact=True).last.click()
        page.locator("input[type=file]").first.set_input_files(FILE)
        expect(page.locator('.tokens[data-tokens="4"]')).to_be_visible()
        step = "no exception"
        expect(page.get_by_test_id("stException")).to_have_count(0)
    except (Error, AssertionError):
        return step
    finally:
        context.close()
    return ""


def main() -> int:
    """Tries the names; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("environment", type=Path, help="a virtual environment with the packages of requirements.txt")
    parser.add_argument("names", nargs="*", help="all, if none is given")
    options = parser.parse_args()
    python = (options.environment / "bin/python").absolute()
    [packages] = options.environment.glob("lib/python3*/site-packages")
    expect.set_options(timeout=20_000)
    bad = 0
    with chromium() as browser:
        for package, name in CASES:
            if options.names and name not in options.names:
                continue
            start = ["streamlit", "run", "app.py"] if package == "streamlit" else ["ui.launcher"]
            command = [str(python), "-m", *start, "--server.port"]
            with renamed(name, packages / package):
                try:
                    with TemporaryDirectory() as folder, Server(Path(folder) / "log.txt", command) as server:
                        failed = visit(browser, server.url)
                    found = (
                        f"broken  {package} {name}: {failed}" if failed else f"works   {package} {name or '(nothing)'}"
                    )
                except (AssertionError, RuntimeError, TimeoutError) as error:
                    found = f"dead    {package} {name}: {str(error)[-200:]!r}"
            bad += not found.startswith("works")
            print(found, flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
