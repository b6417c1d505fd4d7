"""Tokenizers of the Hugging Face Hub by their models' names: fetched only when a visitor presses Download."""

import re
import threading
import time
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from server.encodings.uploads import MAX_FILE_BYTES
from server.training import downloads
from tokenizer import TokenizerError
from tokenizer.errors import shown
from tokenizer.i18n import mark, tr

HUB = "https://huggingface.co"
HUB_HOST = re.compile(r"^(?:https?://)?(?:huggingface\.co|hf\.co)/")
TIMEOUT_SECONDS = 30  # for all files of a model
MAX_DOWNLOADS = 4  # at a time, each of up to MAX_FILE_BYTES in memory; others wait
MODEL_NAME_PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
MODEL_NAME = re.compile(rf"{MODEL_NAME_PART}(?:/{MODEL_NAME_PART})?")
FORBIDDEN_IN_NAMES = ("--", "..", "-/", "./")  # in a name, nor at its end
# the first of these that a model has defines its tokenizer
TOKENIZERS = (("tokenizer.json",), ("tokenizer.model",), ("vocab.json", "merges.txt"), ("vocab.txt",))
SETTINGS = ("tokenizer_config.json", "chat_template.jinja")  # fetched, too, if the model has them
CODES = {
    "GatedRepo": mark("the owner of the model requires visitors to sign in and to agree to terms"),
    "RepoNotFound": mark("there is no public model of this name"),
    "DisabledRepo": mark("the Hugging Face Hub has disabled this model"),
}
_downloads = threading.BoundedSemaphore(MAX_DOWNLOADS)
CHOOSE_ANOTHER = mark("Choose another model.")
FROM_FILE = mark("Download the tokenizer.json of the model in a browser, and open that file here.")


class HubFailed(TokenizerError):
    """A tokenizer could not be fetched from the Hub."""

    def __init__(self, name: str, reason: str, advice: str = ""):
        self.name, self.reason = name, reason
        advice = advice or tr("Check the name of the model and the connection to the internet, or open a file instead.")
        super().__init__(
            tr(
                "The tokenizer of {name} could not be downloaded: {reason}. {advice}",
                name=shown(name),
                reason=reason,
                advice=advice,
            )
        )


def model_name(written: str) -> str:
    """Returns the name of a model, as it was written or out of its address; raises HubFailed.

    >>> model_name(" openai-community/gpt2 "), model_name("https://huggingface.co/bert-base-uncased/tree/main")
    ('openai-community/gpt2', 'bert-base-uncased')
    """
    name, num_hosts = HUB_HOST.subn("", written.strip())
    if num_hosts:  # a browser's address
        name = re.split(r"[?#]", name)[0]
    name = re.sub(r"/(?:(?:tree|blob|resolve|discussions|commits)/.*)?$", "", name)
    if not MODEL_NAME.fullmatch(name) or any(sign in f"{name}/" for sign in FORBIDDEN_IN_NAMES):
        raise HubFailed(
            written.strip(), tr("this is not the name of a model"), tr("Type a name such as openai-community/gpt2.")
        )
    return name


def address(name: str) -> str:
    """Returns the address of a model's files, which the page shows before it requests anything.

    >>> address("openai-community/gpt2")
    'https://huggingface.co/openai-community/gpt2/resolve/main/'
    """
    return f"{HUB}/{model_name(name)}/resolve/main/"


def fetch(name: str, seconds: float = TIMEOUT_SECONDS) -> dict[str, bytes]:
    """Returns the files of a model's tokenizer by their names, with its settings and chat template if it has them.

    No name, password or token is sent. Raises HubFailed where there is no network, no such model, no tokenizer among
    its files, or too many bytes.
    """
    place = address(name)
    if not _downloads.acquire(timeout=seconds):
        raise HubFailed(name, tr("the download did not finish in time"), tr("Try again in a few minutes."))
    try:
        return _fetched(name, place, time.monotonic() + seconds)  # not counting how long it waited
    finally:
        _downloads.release()


def _fetched(name: str, place: str, deadline: float) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for file_names in TOKENIZERS:
        found = {file: data for file in file_names if (data := _file(name, place, file, deadline, files)) is not None}
        if len(found) == len(file_names):
            files |= found
            break
    else:
        raise HubFailed(
            name,
            tr("the model has no tokenizer in a format that can be downloaded here"),
            tr("If this model was made from another model, try that model."),
        )
    for file in SETTINGS:
        if (data := _file(name, place, file, deadline, files)) is not None:
            files[file] = data
    return files


def _file(name: str, place: str, file: str, deadline: float, files: dict[str, bytes]) -> bytes | None:
    """Returns the bytes of a file; None where the model has none of this name."""
    room = MAX_FILE_BYTES - sum(map(len, files.values()))
    try:
        data, is_whole = downloads.read(place + file, room, deadline)
        if not is_whole:
            raise URLError(tr("the connection broke off before the whole file had arrived"))
        return data
    except HTTPError as error:
        code = error.headers.get("X-Error-Code", "") if error.headers else ""
        if error.code == 404 and code != "RepoNotFound":
            return None
        raise HubFailed(name, *_refused(error.code, code)) from None
    except downloads.ResponseTooLong:
        raise HubFailed(
            name,
            tr(
                "with the file {file}, the download is larger than the limit of {most:,} bytes",
                file=file,
                most=MAX_FILE_BYTES,
            ),
            tr(CHOOSE_ANOTHER),
        ) from None
    except Exception as error:  # an answer that is not HTTP raises exceptions of http.client
        cause = error.reason if isinstance(error, URLError) else error
        if isinstance(cause, TimeoutError):
            reason = tr("the download did not finish in time")
        else:
            words = getattr(cause, "strerror", None) or cause
            host = urlsplit(place).hostname
            reason = tr("the connection to {host} failed ({reason})", host=host, reason=str(words)[:120])
        raise HubFailed(name, reason) from None


def _refused(status: int, code: str) -> tuple[str, str]:
    """Returns why the Hub refuses, and the remedy."""
    if code in CODES:
        remedies = {"GatedRepo": FROM_FILE, "DisabledRepo": CHOOSE_ANOTHER}
        return tr(CODES[code]), tr(remedies[code]) if code in remedies else ""
    if status in (401, 403):
        return tr("there is no public model of this name, or its owner lets only some people download it"), tr(
            FROM_FILE
        )
    if status == 429:
        return tr("the Hugging Face Hub has received too many requests from this server"), tr(
            "Try again in a few minutes."
        )
    return tr("the Hugging Face Hub answered with the error code {status} (HTTP)", status=status), ""
