// Streamlit's own boxes, which are React's.

export const BOXES = '.stTextArea textarea, :is(.stTextInput, .stNumberInput) input';

/** Lists and rows of buttons: they hear a press before its click, and turn no page. */
export const AT_ONCE = '[data-react-aria-pressable]';

/** What an element is where one types in it. */
export const kindOf = (target) => [HTMLTextAreaElement, HTMLInputElement].find((one) => target instanceof one);

/** Puts a value into a box, with the prototype's own setter: React would take a plain assignment for its own. */
export function put(box, value) {
  Object.getOwnPropertyDescriptor(kindOf(box).prototype, 'value').set.call(box, value);
}
