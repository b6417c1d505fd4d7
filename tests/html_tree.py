"""HTML as a tree of elements, for tests of what is drawn."""

from html.parser import HTMLParser

VOID = {"br", "img", "input", "link", "meta"}
LINKS = {"action", "data", "href", "src", "srcset"}
RAW = {"script", "style"}  # the page does not show their text


class Element:
    """An element: its tag, its attributes, and its children, which are elements and texts in order."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children = tag, attributes, []

    @property
    def classes(self):
        return (self.attributes.get("class") or "").split()

    @property
    def texts(self):
        """The texts in it, without those of scripts and style sheets."""
        return [
            text
            for child in self.children
            for text in ([child] if isinstance(child, str) else [] if child.tag in RAW else child.texts)
        ]

    @property
    def text(self):
        return "".join(self.texts)

    def all(self, *tags, of_class=None):
        """Returns the elements in it, in order: all, or those with one of these tags or with this class."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                if (not tags or child.tag in tags) and (of_class is None or of_class in child.classes):
                    found.append(child)
                found += child.all(*tags, of_class=of_class)
        return found

    @property
    def tags(self):
        """The tags of the elements in it, in order."""
        return [element.tag for element in self.all()]

    @property
    def links(self):
        """The attributes of the elements in it that name a resource."""
        return [name for element in self.all() for name in element.attributes if name in LINKS]


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag, attributes):
        assert not [name for name, _ in attributes if name.startswith("on")], "an event handler"
        element = Element(tag, dict(attributes))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop().tag == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        children = self.open[-1].children
        if children and isinstance(children[-1], str):
            children[-1] += data
        else:
            children.append(data)


def parse_html(source):
    """Returns the root of a tree with these elements, which must be nested and have no event handlers."""
    parser = _Parser()
    # A browser first replaces CR LF and CR by LF; html.parser does not.
    parser.feed(source.replace("\r\n", "\n").replace("\r", "\n"))
    parser.close()
    [root] = parser.open
    return root
