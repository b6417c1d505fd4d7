"""The places of the files in `web/`: scripts, style sheets and components that the app and the exported pages share."""

from tokenizer.paths import APP

FOLDER = APP / "web"
TOKENS = FOLDER / "tokens.css"
LOUPE = FOLDER / "loupe.css"
STEPS = FOLDER / "steps.css"  # controls that step through merges
VOCABULARY_SLIDER = FOLDER / "vocabulary_slider.css"
