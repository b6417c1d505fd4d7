// Returns the app's words on a page in order: texts, and attributes that are shown or read out.
(notOurs) => {
  const lines = [''], ATTRIBUTES = ['aria-label', 'title', 'placeholder', 'alt'];
  const isBlock = (element) => !getComputedStyle(element).display.startsWith('inline');
  const read = (node) => {
    if (node instanceof Text) lines[lines.length - 1] += node.data;
    if (
      !(node instanceof Element) ||
      node.matches(notOurs) ||
      ['STYLE', 'SCRIPT', 'NOSCRIPT', 'SVG', 'svg'].includes(node.tagName)
    )
      return;
    if (node !== document.body && !node.checkVisibility()) return;
    for (const name of ATTRIBUTES)
      if (node.hasAttribute(name)) lines.splice(lines.length - 1, 0, node.getAttribute(name));
    const block = isBlock(node);
    if (block) lines.push('');
    for (const child of (node.shadowRoot ?? node).childNodes) read(child);
    if (block) lines.push('');
  };
  read(document.body);
  return lines.map((line) => line.trim()).filter(Boolean);
}
