// Translates sentences with Python's catalogue: server/component_i18n.py replaces WORDS by a component's sentences.
const WORDS = null; // { language, plural: (n) => which form, sentences: { English: [forms] } }, or null in English

export const LANGUAGE = WORDS?.language ?? 'en';
const numbers = new Intl.NumberFormat(LANGUAGE);

/** Translates a sentence and fills in its facts; integers are formatted for the language. */
export const tr = (sentence, facts) => fillIn(WORDS?.sentences[sentence]?.[0] ?? sentence, facts);

/** Translates the plural form for the number n, and fills in n and the other facts. */
export function trn(one, many, n, facts) {
  const form = WORDS?.sentences[one]?.[WORDS.plural(n)] ?? (n === 1 ? one : many);
  return fillIn(form, { n, ...facts });
}

/** Marks a sentence in a table of constants for translation; `tr` translates it when it is drawn. */
export const mark = (sentence) => sentence;

function fillIn(sentence, facts) {
  if (!facts) return sentence;
  return sentence.replace(/\{(\w+)\}/g, (field, name) => {
    const fact = facts[name];
    return Number.isInteger(fact) ? numbers.format(fact) : String(fact ?? field);
  });
}
