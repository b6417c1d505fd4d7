// The right end of the top bar: stage, link, picture, language, theme; and the menu's link of the current page.
import { copyLink, showBriefly } from '../../../components/js/dom/clipboard.js';
import { pathOfLink } from '../../../components/js/editor/tab-state.js';
import { initialUrl } from '../../../components/js/net/text-link.js';
import { isFirst } from '../../../components/js/dom/document-state.js';
import { mount, Component } from '../../../components/js/dom/component.js';
import { MENU_LINKS, OPEN_MENU } from '../../../components/js/streamlit/streamlit-dom.js';
import { tr } from '../../../components/js/dom/i18n.js';
import { keepOneEntryPerPage } from './entries.js';
import { panel } from './panel.js';
import { stage } from './stage.js';
import { overrideTheme, setTheme, chosenTheme } from './theme.js';

// Closes the menu, which on a phone would stay open over the page that was chosen in it.
const closeMenu = () => document.querySelector(OPEN_MENU)?.click();

if (isFirst('bar')) { // once for the bundles of all languages
  keepOneEntryPerPage(closeMenu);
  addEventListener('click', ({ target }) => { if (target.closest?.(MENU_LINKS)) closeMenu(); });
  if (location.pathname !== initialUrl().pathname) closeMenu(); // a page was chosen before this script ran
}

class Bar extends Component {
  constructor(root) {
    super(root);
    overrideTheme();
    stage();
    this.theme = this.$('.theme');
    this.language = this.$('.language');
    this.pictureSelect = this.$('.picture');
    this.pictureSelect.addEventListener('change', () => this.savePicture());
    this.theme.addEventListener('change', () => setTheme(this.theme.value));
    this.language.addEventListener('change', () => this.setLanguage(this.language.value));
  }

  update({ data: { language, languages }, setTriggerValue }) {
    this.setLanguage = (tag) => setTriggerValue('language', tag);
    document.documentElement.lang = language;
    if (!this.language.length)
      this.language.append(
        ...Object.entries(languages).map(([tag, name]) => Object.assign(new Option(name, tag), { lang: tag })),
      );
    this.language.value = language;
    this.$('.sign b').textContent = language.toUpperCase();
    this.theme.value = chosenTheme();
    for (const link of document.querySelectorAll('.st-key-menu a')) {
      if (pathOfLink(link) === location.pathname) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  }

  async savePicture() {
    const format = this.pictureSelect.value;
    this.pictureSelect.value = '';
    try {
      await stage().savePicture(format);
    } catch (error) {
      this.showError(error);
    }
  }

  onPress({ dataset }) {
    if (dataset.do === 'stage') stage().enter();
    else if (dataset.do === 'code') panel().open();
    else this.copy(this.$('.done'));
  }

  async copy(done) {
    try {
      await copyLink(this.desk, done);
    } catch (error) {
      this.showError(error);
    }
  }

  showError({ message }) {
    showBriefly(this.$('.done'), tr('The last action failed: {reason}', { reason: message }));
  }

  destroy() {}
}

export default mount(Bar);
