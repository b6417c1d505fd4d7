// Spaces in the inputs of lists.
import { dropSpaces } from '/web/js/streamlit/streamlit-inputs.js';
import { equal } from './check.js';

export function spaces_are_dropped_from_what_is_typed_and_not_from_the_interim_text_of_an_input_method() {
  const inserted = [], native = document.execCommand, target = { matches: () => true };
  document.execCommand = (name, unused, text) => inserted.push(text);
  try {
    const event = (data, cancelable) => ({ target, data, cancelable, preventDefault() {} });
    dropSpaces(event('ni hao', false)); // of an input method: an insertion would come in addition
    dropSpaces(event('gpt 5', true));
    dropSpaces(event('gpt', true));
  } finally {
    document.execCommand = native;
  }
  equal(inserted, ['gpt5']);
}
