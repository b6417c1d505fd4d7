// Split patterns with the characters of each category as tiktoken classifies them: the browser may have another
// version of Unicode.

/** Returns a pattern without the names of categories. `categories` has steps from number to number: the first and the
 *  last code point of each run. */
export function spellOut(pattern, categories) {
  const members = (name) => {
    let at = 0;
    const points = categories[name].map((step) => `\\u{${(at += step).toString(16)}}`);
    return points.map((point, i) => (i % 2 ? `-${point}` : point)).join('');
  };
  const filled = (part) => part.replace(/\\p\{(\w+)\}/g, (_, name) => members(name));
  return pattern.replace(/\\[^p]|\[(?:\\.|[^\\\]])+\]|\\p\{\w+\}/g, (part) =>
    part.startsWith('\\p') ? `[${filled(part)}]` : filled(part));
}
