"""Languages: the token cost of the same sentences in each language, and its causes, in several views."""

from tokenizer.i18n import mark, tr
from ui.components import notices
from ui.languages import budget, custom_corpus, mixing, premium, vocabulary
from ui.session.choices import Choice, one_of

VIEWS = {  # label, and function that draws the view
    "premium": (mark("Tokens by language"), premium.show),
    "own": (mark("Your own text"), custom_corpus.show),
    "budget": (mark("Token budget"), budget.show),
    "mix": (mark("Train on mixed languages"), mixing.show),
    "vocabulary": (mark("Scripts in vocabularies"), vocabulary.show),
}

labels = {name: tr(label) for name, (label, _) in VIEWS.items()}
lens = Choice("lens", "premium", one_of(VIEWS)).segmented(tr("View"), labels, label_visibility="collapsed")
with notices.errors_shown():  # a text may be too long, or exceed the time limit of a visitor's pattern
    VIEWS[lens][1]()
