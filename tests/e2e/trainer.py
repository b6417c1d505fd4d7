"""Page object of the Train page."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from e2e.desk import Tab, assert_boundaries
from e2e.server import Server
from server.encodings.encoding_store import TRAINED
from tokenizer import encoding_from_merges

PARTS = """(view) => JSON.stringify(Array.from(view.querySelectorAll('.part'), (part) =>
  Array.from(part.children, ({ dataset, textContent }) =>
    [Number(dataset.k), Number(dataset.n ?? 1), textContent, dataset.colors.split(' ').map(Number)])))"""


class Trainer(Tab):
    """The Train page in one browser tab."""

    def __init__(self, page: Page, server: Server):
        super().__init__(page, server)
        self.view = page.locator(".timeline .tokens")
        self.panel = page.locator(".timeline .panel")
        self.heading = self.panel.locator(".which")
        self.jump = page.get_by_label("Jump to merge")
        self.train_button = self.button("Train")

    def open(self, fragment: str = "", **query: str) -> "Trainer":
        """Opens the page with these choices in its address."""
        self.page.emulate_media(reduced_motion="reduce")  # prevents the animation after a training
        self.visit("/train", fragment, **{"corpus": "thai"} | query)
        expect(self.train_button).to_be_visible(timeout=20_000)
        return self

    def open_with(self, text: str, **query: str) -> "Trainer":
        """Opens the page with an own text."""
        self.open(corpus="own", **query)
        area = self.page.get_by_label("A text typed here")
        area.fill(text)
        area.blur()
        expect(self.page.get_by_text(f"{len(text.encode()):,} bytes (UTF-8)")).to_be_visible(timeout=20_000)
        return self

    def train(self) -> "Trainer":
        """Trains and waits for the timeline."""
        before = self.key()
        self.train_button.click()
        return self.wait_for_timeline(before)

    def wait_for_timeline(self, before: str = "") -> "Trainer":
        """Waits for a timeline, other than that of the key `before`."""
        if before:
            expect(self.page).not_to_have_url(re.compile(rf"trained={re.escape(before)}"))
        expect(self.heading).to_be_visible(timeout=20_000)
        expect(self.page.locator(".timeline .notice")).to_be_hidden()
        return self

    def begin(self) -> "Trainer":
        """Resets the timeline to before the first merge, without own text or prediction."""
        if self.button("Guess the next merge").get_attribute("aria-pressed") == "true":
            self.button("Guess the next merge").click()
        if self.button("Reset").is_visible():
            self.button("Reset").click()
        self.go(0)
        return self

    def key(self) -> str:
        """Returns the key of the shown training, or an empty string."""
        return parse_qs(urlsplit(self.page.url).query).get("trained", [""])[0].split(",")[0]

    def go(self, step: int) -> None:
        """Jumps to a merge."""
        self.jump.fill(str(step))
        self.jump.press("Enter")
        self.expect_step(step)

    def expect_step(self, step: int) -> None:
        """Waits until the panel shows this merge."""
        expect(self.heading).to_have_text(re.compile(rf"^Merge {step:,} of" if step else "^Before the first merge"))

    def show_own(self, text: str) -> None:
        """Shows an own text instead of the training text."""
        self.page.get_by_role("button", name="Tokenize another text").click()
        self.page.get_by_label("Your own text to tokenize").fill(text)
        expect(self.view).to_have_text(text, use_inner_text=False)

    def parts(self) -> list:
        """Returns the drawn rows [k, n, text, colors] of each block."""
        return json.loads(self.view.evaluate(PARTS))

    def expect_cut_by(self, text: str, merges: list, pattern: str | None) -> None:
        """Asserts that the text is cut as by the encoding of these merges."""
        tokens = encoding_from_merges(merges, pattern).tokenize(text)
        parts = self.parts()
        assert "".join(row[2] for part in parts for row in part) == text
        assert_boundaries(parts, tokens)
        expect(self.count("text")).to_have_text(f"{len(tokens):,}")

    def count(self, name: str) -> Locator:
        """The number under the timeline: corpus, ratio, share, text or compare."""
        return self.page.locator(f'.timeline [data-count="{name}"]')

    def candidates(self) -> list[tuple[str, int]]:
        """Returns the panel's pairs with counts, winner first."""
        rows = self.panel.locator(".ranking li").all()
        return [
            (row.locator(".pair").inner_text(), int(row.locator(".number").inner_text().replace(",", "")))
            for row in rows
        ]

    def download(self, form: str, folder: Path) -> Path:
        """Downloads the encoding in a format; returns the file."""
        if not self.page.get_by_label("Format").is_visible():
            self.button("Download").click()
        self.page.get_by_role("combobox", name=re.compile("Format")).click()
        self.page.get_by_role("option", name=re.compile(form)).click()
        label = {"Hugging": r"\.json", "tiktoken": "-tiktoken", "GPT-2": "-gpt2", "minbpe": "-minbpe", "CSV": "-csv"}
        button = self.page.get_by_role("button", name=re.compile(rf"Download .*{label[form]}"))
        expect(button).to_be_visible()
        with self.page.expect_download() as found:
            button.click()
        path = folder / found.value.suggested_filename
        found.value.save_as(path)
        return path

    def encodings(self) -> list[str]:
        """Returns the names in the playground's list of encodings."""
        self.turn_to("Playground")
        self.page.get_by_role("combobox", name=re.compile("Model")).click()
        options = self.page.get_by_role("option")
        expect(options.first).to_be_visible()
        names = [name.split(" · ")[0] for name in options.all_inner_texts()]
        self.page.keyboard.press("Escape")
        return names


def is_key(key: str) -> bool:
    """Returns whether this is the key of a trained encoding."""
    return key.startswith(TRAINED) and len(key) == len(TRAINED) + 32
