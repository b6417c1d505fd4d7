// What is asked of a vocabulary, and the fields in which it is asked.
import { make } from '../../components/js/dom/elements.js';

export class Form {
  /** In `element`, whose fields have the names of what is asked; `changed()` hears of every change. */
  constructor(element, changed) {
    this.element = element;
    element.addEventListener('input', changed);
  }

  get fields() {
    return [...this.element.querySelectorAll('[name]')];
  }

  /** Gives the fields that are lists their options: name -> [[value, words], …]; where one has none, it is not
   *  there. */
  offer(options) {
    for (const field of this.fields) {
      if (!(field.name in options)) continue;
      field.closest('label').hidden = !options[field.name].length;
      const made = options[field.name].map(([value, words]) => Object.assign(make('option', '', words), { value }));
      const { value } = field;
      field.replaceChildren(...made);
      if (options[field.name].some(([one]) => one === value)) field.value = value;
    }
  }

  /** What the fields hold, by their names. */
  get asked() {
    return Object.fromEntries(this.fields.map(({ name, value }) => [name, value]));
  }

  set asked(asked) {
    for (const field of this.fields) {
      if (field.name in asked && field.value !== asked[field.name]) field.value = asked[field.name];
      if (asked[field.name] && field.name !== 'sort_by') field.closest('details')?.setAttribute('open', '');
    }
  }
}
