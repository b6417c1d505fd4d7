// Key bindings of token views and merge players. Keys typed into a field are ignored.

/** Tokens to move per key in a token view. */
export const STRIDES = {
  ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity,
  End: Infinity,
};

/** Returns the character of a key in lower case; where the layout has no Latin letter on it, such as the Thai one, the
 *  letter that the browser's own shortcuts have there. That is not `code`, which is a place and differs for Dvorak. */
export const letterOf = ({ key = '', keyCode }) =>
  (!/\p{Script=Latin}/u.test(key) && keyCode >= 65 && keyCode <= 90 ? String.fromCharCode(keyCode) : key).toLowerCase();

/** Returns the digit of a key, also where its layout has another character there without Shift, such as the Thai and
 *  the French one; of other keys, the character or the name. */
const digitOf = ({ key = '', code, shiftKey }) =>
  (!/^\d$/.test(key) && key.length === 1 && !shiftKey && /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1]) || key;

const MOVES = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity, PageUp: 10, PageDown: -10 };

/** Returns the action of a key: { move }, { token }, { speed }, { pick }, a name, or null. `focus` is "field",
 *  "button", "select", "range", "lane" or ""; `hasToken`: whether a token is shown; `isAsking`: whether a question
 *  waits for a number. */
export function actionOf(event, focus, hasToken = false, isAsking = false) {
  const { shiftKey, ctrlKey, metaKey, altKey } = event, key = isAsking ? digitOf(event) : event.key;
  if (ctrlKey || metaKey || altKey || focus === 'field' || focus === 'select') return null;
  if (focus === 'lane' && (key === 'ArrowDown' || key === 'ArrowUp')) return { token: key === 'ArrowDown' ? 1 : -1 };
  if (focus === 'lane' && key === 'Enter' && hasToken) return 'pin';
  if (focus === 'range' && (key === 'ArrowDown' || key === 'ArrowUp'))
    return { move: (key === 'ArrowUp' ? 1 : -1) * (shiftKey ? 10 : 1) };
  if (key in MOVES)
    return focus === 'lane' && key.startsWith('Page')
      ? null
      : { move: MOVES[key] * (shiftKey && key.startsWith('Arrow') ? 10 : 1) };
  if (key === '+' || key === '-') return { speed: key === '+' ? 1 : -1 };
  if (/^[1-6]$/.test(key)) return { pick: Number(key) - 1 };
  if (key === 'Escape') return 'escape';
  if (letterOf(event) === 'g') return 'predict';
  if (focus === 'button') return null;
  return { ' ': 'play', Enter: 'next' }[key] ?? null;
}
