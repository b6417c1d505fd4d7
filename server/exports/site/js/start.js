// Opens the page in a language of the address or the browser that it has, else in the first.
const templates = new Map(
  Array.from(document.querySelectorAll('template[data-language]'), (one) => [one.dataset.language, one]),
);
const wanted = [new URLSearchParams(location.search).get('lang') ?? '', ...navigator.languages];
const known = wanted.map((tag) => tag.toLowerCase().split('-')[0]).filter((tag) => templates.has(tag));
const [language = 'en'] = known, template = templates.get(language);
document.documentElement.lang = language;
document.body.append(template.content.cloneNode(true));
import(new URL(template.dataset.script, document.baseURI)).catch(() => {
  document.querySelector('.failed').hidden = false;
});
