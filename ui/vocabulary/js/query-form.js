// The query of a vocabulary, and the form to edit it.
export class QueryForm {
  /** The fields of `element` are named like the query's; `changed()` is called after every change. */
  constructor(element, changed) {
    this.element = element;
    element.addEventListener('input', changed);
  }

  get fields() {
    return [...this.element.querySelectorAll('[name]')];
  }

  /** Fills the lists: name -> [[value, words], …]; a list without options is hidden. */
  setOptions(options) {
    for (const field of this.fields) {
      if (!(field.name in options)) continue;
      field.closest('label').hidden = !options[field.name].length;
      const { value } = field;
      field.replaceChildren(...options[field.name].map(([own, words]) => new Option(words, own)));
      if (options[field.name].some(([one]) => one === value)) field.value = value;
    }
  }

  get query() {
    return Object.fromEntries(this.fields.map(({ name, value }) => [name, value]));
  }

  set query(query) {
    for (const field of this.fields) {
      if (field.name in query && field.value !== query[field.name]) field.value = query[field.name];
      if (query[field.name] && field.name !== 'sort_by') field.closest('details')?.setAttribute('open', '');
    }
  }
}
