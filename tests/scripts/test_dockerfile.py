"""The container: its instructions are read, its commands run here, and an engine builds it where there is one."""

import http.server
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import tomllib
from urllib.request import urlopen

import pytest
from apps import until
from e2e.server import Server
from paths import ROOT

LINES = (ROOT / "Dockerfile").read_text(encoding="utf-8")
STEPS = [tuple(line.split(None, 1)) for line in re.sub(r"\\\n\s*", "", LINES).splitlines() if line[:1].isupper()]


def arguments(name):
    """The arguments of each instruction with that name."""
    return [given for instruction, given in STEPS if instruction == name]


def copied():
    """The paths that are copied into the image."""
    return [path for given in arguments("COPY") for path in shlex.split(given)[:-1]]


@pytest.fixture
def image(tmp_path):
    """A folder with the copied paths only."""
    for path in copied():
        (tmp_path / path).symlink_to(ROOT / path)
    return tmp_path


def run_in(image, command, **environment):
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **environment}
    return subprocess.run(command, cwd=image, env=environment, capture_output=True, text=True, timeout=120)


def with_this_python(given):
    """The command of an instruction in list form, with this Python."""
    program, *arguments = json.loads(given[given.index("[") :])
    assert program == "python"
    return [sys.executable, *arguments]


def test_container_has_one_stage_and_does_not_run_as_root():
    assert len(arguments("FROM")) == 1
    [user] = arguments("USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    names = [instruction for instruction, _ in STEPS]
    assert names.index("USER") > max(i for i, name in enumerate(names) if name in ("RUN", "COPY"))


def test_container_copies_all_that_an_installed_app_has():
    globs = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    packed = {path.partition("/")[0] for path in globs["tokenloupe.app"]} | {"tokenizer"}
    assert packed <= set(copied())
    assert [path for path in copied() if not (ROOT / path).exists()] == []
    installed = re.findall(r"-r (\S+)", " ".join(arguments("RUN")))
    assert "requirements.txt" in installed and set(installed) <= set(copied())


@pytest.mark.slow
def test_copied_files_serve_a_class(image):
    [start] = arguments("ENTRYPOINT")
    done = run_in(image, [*with_this_python(start), "class", "--check", "--address", "192.0.2.7"], PORT="8499")
    assert done.returncode == 0, done.stderr
    assert "http://192.0.2.7:8499/class" in done.stdout
    loads = "import app, server.routes; from tokenizer import get_encoding; print(get_encoding('gpt2').encode('a'))"
    done = run_in(image, [sys.executable, "-c", loads])
    assert done.stdout.strip() == "[64]", done.stderr


@pytest.mark.slow
def test_copied_files_serve_the_app_without_an_argument(image, tmp_path_factory):
    [start] = arguments("ENTRYPOINT")
    command = (*with_this_python(start), "--server.port")
    with Server(tmp_path_factory.mktemp("log") / "log.txt", command, cwd=image, HOME="/nonexistent") as server:
        assert b"<title>" in urlopen(server.url, timeout=20).read()
        assert server.log_problems() == []


BASE = arguments("ARG")[0].removeprefix("PYTHON=")
ENGINES = [name for name in ("docker", "podman") if shutil.which(name)]


def engine():
    """The command of an engine that starts a container of the base image; skips the test where there is none."""
    reasons = []
    for name in ENGINES:
        command = [name, "run", "--rm", BASE, "python", "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode == 0:
            return name
        reasons.append(f"{name} cannot start {BASE} here: {done.stderr.strip()[-200:]}")
    pytest.skip("; ".join(reasons) or "needs docker or podman")


@pytest.mark.slow
@pytest.mark.timeout(1_200)  # it installs all packages
def test_container_serves_app_and_class_without_root_in_700_mb():
    name, tag = engine(), f"tokenloupe-test-{os.getpid()}"

    def run(*words):
        return subprocess.run([name, *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    def succeeds(*words):
        return subprocess.run([name, *words], capture_output=True).returncode == 0

    run("build", *["--format", "docker"] * (name == "podman"), "--tag", tag, ".")
    try:
        assert int(run("image", "inspect", "--format", "{{.Size}}", tag)) < 700_000_000
        for words, path in ([], "/"), (["class", "--address", "192.0.2.7"], "/class"):
            options = ["--read-only", "--tmpfs", "/tmp", "--publish", "127.0.0.1::8501"]
            run("run", "--detach", "--name", tag, *options, tag, *words)
            try:
                until(lambda: succeeds("exec", tag, "python", "scripts/is_healthy.py"), seconds=90)
                port = run("port", tag, "8501").splitlines()[0].rpartition(":")[2]
                assert b"<title>" in urlopen(f"http://127.0.0.1:{port}{path}", timeout=20).read()
                assert run("exec", tag, "id", "--user") != "0"
            finally:
                run("rm", "--force", tag)
    finally:
        run("rmi", "--force", tag)


@pytest.mark.slow
@pytest.mark.parametrize(
    "status, path, is_well",
    [
        (200, "/_stcore/health", True),
        (503, "/_stcore/health", False),
        (None, "/_stcore/health", False),
        (200, "/api/corrections", True),  # below a base path, the other is there, too
        (200, "/other", False),
    ],
)
def test_health_check_reports_the_apps_health(image, status, path, is_well):
    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status if self.path == path else 404)
            self.end_headers()

        def log_message(self, *_):
            """Logs nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    if status is None:
        server.server_close()
    else:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    [probe] = arguments("HEALTHCHECK")
    proxies = {"http_proxy": "http://192.0.2.1:9", "https_proxy": "http://192.0.2.1:9"}
    done = run_in(image, with_this_python(probe), PORT=str(server.server_port), **proxies)
    if status is not None:
        server.shutdown()
        server.server_close()
    assert (done.returncode == 0) == is_well, done.stderr
    assert "Traceback" not in done.stderr
