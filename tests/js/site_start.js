// The static page begins in a language, and says so if its script cannot be loaded.
import { equal } from './check.js';

export async function script_that_cannot_be_loaded_is_reported() {
  const template = document.createElement('template'), failed = document.createElement('p');
  const { lang } = document.documentElement;
  Object.assign(template.dataset, { language: 'en', script: 'data:text/javascript,throw 1' });
  Object.assign(failed, { className: 'failed', hidden: true });
  template.content.append(failed);
  document.body.append(template);
  const shown = () => document.querySelector('.failed');
  try {
    await import('/server/exports/site/js/start.js');
    for (let tries = 0; shown().hidden && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
    equal([document.documentElement.lang, shown().hidden], ['en', false]);
  } finally {
    shown()?.remove();
    template.remove();
    document.documentElement.lang = lang;
  }
}
