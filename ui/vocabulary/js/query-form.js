// The query of a vocabulary, and the form to edit it.
import { make } from '../../components/js/dom/elements.js';

export class QueryForm {
  /** In `element`, whose fields are named like the query's; `changed()` is called after every change. */
  constructor(element, changed) {
    this.element = element;
    element.addEventListener('input', changed);
  }

  get fields() {
    return [...this.element.querySelectorAll('[name]')];
  }

  /** Fills the lists: name -> [[value, words], …]; a list without options is hidden. */
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

  /** Returns the fields' values by name. */
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
