// The right end of the top bar: stage, the menus Share and Settings; and the link of the current page.
import { copyLink, copyText, saveFile, showBriefly } from '../../../../web/js/dom/clipboard.js';
import { pathOfLink } from '../../../../web/js/editor/tab-state.js';
import { currentPage, fileOfPage } from '../../../../web/js/net/page-link.js';
import { initialUrl } from '../../../../web/js/net/text-link.js';
import { isFirst } from '../../../../web/js/dom/document-state.js';
import { mount, Component } from '../../../../web/js/dom/component.js';
import { MENU_ITEMS, OPEN_MENU, PAGE_LINKS } from '../../../../web/js/streamlit/streamlit-dom.js';
import { tr } from '../../../../web/js/dom/i18n.js';
import { keepWhole } from '../../../../web/js/dom/whole-words.js';
import { frameHtml } from './embed.js';
import { keepOneEntryPerPage } from './entries.js';
import { panel } from './panel.js';
import { stage } from './stage.js';
import { overrideTheme, setTheme, chosenTheme } from './theme.js';

// Closes a menu, which would stay open over what was chosen in it.
const closeMenu = () => document.querySelector(OPEN_MENU)?.click();

function markCurrentPage() {
  for (const link of document.querySelectorAll(PAGE_LINKS)) {
    if (pathOfLink(link) === location.pathname) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

if (isFirst('bar')) { // once for the bundles of all languages
  keepOneEntryPerPage(closeMenu);
  addEventListener('click', ({ target }) => {
    if (target.closest?.(MENU_ITEMS)) closeMenu();
    else requestAnimationFrame(markCurrentPage); // the menu may have opened
  });
  if (location.pathname !== initialUrl().pathname) closeMenu(); // a page was chosen before this script ran
}

class Bar extends Component {
  constructor(root) {
    super(root);
    overrideTheme();
    stage();
    this.theme = this.$('.theme');
    this.language = this.$('.language');
    this.menus = [...root.querySelectorAll('.menu')];
    for (const menu of this.menus) menu.addEventListener('beforetoggle', () => this.place(menu));
    this.theme.addEventListener('change', () => setTheme(this.theme.value));
    this.language.addEventListener('change', () => this.setLanguage(this.language.value));
  }

  /** `embed` has the path of the page for frames, the default encoding, and the sites that may show it; or is null. */
  update({ data: { language, languages, embed, whole }, setTriggerValue }) {
    this.embed = embed;
    this.$('[data-do=embed]').hidden = !embed;
    this.setLanguage = (tag) => setTriggerValue('language', tag);
    document.documentElement.lang = language;
    keepWhole(whole);
    if (!this.language.length)
      this.language.append(
        ...Object.entries(languages).map(([tag, name]) => Object.assign(new Option(name, tag), { lang: tag })),
      );
    this.language.value = language;
    this.theme.value = chosenTheme();
    markCurrentPage();
  }

  place(menu) {
    const { bottom, right } = this.desk.getBoundingClientRect();
    const end = document.documentElement.clientWidth - right;
    Object.assign(menu.style, { top: `${bottom + 4}px`, right: `${end}px` });
    for (const picture of this.root.querySelectorAll('.picture')) picture.hidden = stage().isEmpty;
  }

  async onPress({ dataset }) {
    for (const menu of this.menus) menu.hidePopover();
    try {
      await this.actions[dataset.do]();
    } catch ({ message }) {
      showBriefly(this.$('.done'), tr('The last action failed: {reason}', { reason: message }));
    }
  }

  actions = {
    stage: () => stage().enter(),
    link: () => copyLink(this.desk, this.$('.done')),
    embed: () => this.copyFrame(),
    code: () => panel().open(),
    file: () => this.savePage(),
    png: () => stage().savePicture('png'),
    svg: () => stage().savePicture('svg'),
  };

  copyFrame() {
    const words = tr('HTML copied. Pages of these sites can show it: {sites}', { sites: this.embed.sites.join(', ') });
    return copyText(frameHtml(this.embed), this.desk, this.$('.done'), words);
  }

  async savePage() {
    const { blob, name } = fileOfPage(await currentPage());
    saveFile(blob, name);
    showBriefly(this.$('.done'), tr('Saved as {name}.', { name }));
  }
}

export default mount(Bar);
