"""Self-contained HTML documents, which load nothing."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def document(title: str, style: str, body: str, language: str, allowed: str = "") -> str:
    """Returns the document; title and body are HTML. `allowed` extends its Content Security Policy.

    >>> document("1 &lt; 2", "", "<p>Yes</p>", "en").splitlines()[6]
    '<title>1 &lt; 2</title>'
    """
    policy = "; ".join(filter(None, (POLICY, allowed)))
    return PAGE.format(language=language, policy=policy, title=title, style=style, body=body)
