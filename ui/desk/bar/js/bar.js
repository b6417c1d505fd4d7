// What the bar needs of the browser: the stage, the look, a way past it, and which of its links is this page's.
import { mount, Part } from '../../../kit/js/mount.js';
import { offerSkip } from './skip.js';
import { stage } from './stage.js';
import { overrule, prefer, wanted } from './theme.js';

class Bar extends Part {
  constructor(root) {
    super(root);
    overrule();
    offerSkip();
    stage();
    this.theme = this.$('.theme');
    this.picture = this.$('.picture');
    this.picture.addEventListener('change', () => this.save());
    this.theme.addEventListener('change', () => prefer(this.theme.value));
  }

  update() {
    this.theme.value = wanted();
    for (const link of document.querySelectorAll('.st-key-menu a')) {
      if (new URL(link.href).pathname === location.pathname) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  }

  async save() {
    const form = this.picture.value;
    this.picture.value = '';
    await stage().picture(form);
  }

  pressed() {
    stage().enter();
  }

  leave() {}
}

export default mount(Bar);
