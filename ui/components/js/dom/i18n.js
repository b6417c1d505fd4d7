// What a reader is told, in his language: the same catalogue as Python's, of which server/component_i18n.py puts in
// what a component says.
const WORDS = null; // { language, plural: (n) => which form, said: { English: [forms] } }, or null in English

export const LANGUAGE = WORDS?.language ?? 'en';
const numbers = new Intl.NumberFormat(LANGUAGE);

/** A sentence with these facts in it; whole numbers are written as the language writes them. */
export const tr = (sentence, facts) => filled(WORDS?.said[sentence]?.[0] ?? sentence, facts);

/** One of two sentences, or of as many as the language has, by the number n, which is a fact as well. */
export function trn(one, many, n, facts) {
  const form = WORDS?.said[one]?.[WORDS.plural(n)] ?? (n === 1 ? one : many);
  return filled(form, { n, ...facts });
}

/** A sentence in a table of constants: itself; `tr` translates it where it is drawn. */
export const mark = (sentence) => sentence;

function filled(sentence, facts) {
  if (!facts) return sentence;
  return sentence.replace(/\{(\w+)\}/g, (field, name) => {
    const fact = facts[name];
    return Number.isInteger(fact) ? numbers.format(fact) : String(fact ?? field);
  });
}
