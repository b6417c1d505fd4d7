// The buttons: switches, copies, downloads.
import { copyOut } from '../../kit/js/clipboard.js';
import { Refused } from '../../kit/js/door.js';
import { fragmentFor, LONGEST } from '../../kit/js/link.js';
import { grouped } from '../../kit/js/readout.js';
import { drawSvg } from './svg.js';
import { question } from '../../kit/js/wire.js';

export class Actions {
  constructor(editor) {
    this.editor = editor;
    editor.root.addEventListener('click', (event) => this.press(event.target.closest?.('[data-do]')));
  }

  isOn(name) {
    return this.editor.$(`[data-do="${name}"]`)?.getAttribute('aria-pressed') === 'true';
  }

  async press(button) {
    if (!button) return;
    const action = button.dataset.do;
    try {
      if (action === 'marks' || action === 'bytes') this.toggle(button, action);
      else if (action === 'unpin') this.editor.focus.unpin();
      else if (action === 'why') this.askWhy();
      else if (action === 'copy-ids') await this.copyOut(this.editor.doc.chunks.map((chunk) => Array.from(chunk.ids).join(' ')).filter(Boolean).join(' '), 'Ids copied.');
      else if (action === 'link') await this.copyLink();
      else if (action === 'svg') this.downloadSvg();
      else await this.download(action);
    } catch (error) {
      this.editor.notice.say(error instanceof Refused ? error.message : `This did not work: ${error.message}`);
    }
  }

  toggle(button, name) {
    button.setAttribute('aria-pressed', String(!this.isOn(name)));
    this.editor.view.classList.toggle(name, this.isOn(name));
    if (name === 'bytes') this.editor.tokens.repaint(this.editor.doc.chunks);
  }

  askWhy() {
    const { pinned } = this.editor.focus, { chunks } = this.editor.doc;
    if (!pinned || this.editor.writing.reading.tooLong) return; // the tokens are of an older text
    const before = chunks.slice(0, chunks.indexOf(pinned.chunk)).reduce((n, chunk) => n + chunk.bytes.length, 0);
    this.editor.component.setTriggerValue('why', this.editor.writing.asWhy(this.editor.encoding.key, before + pinned.chunk.starts[pinned.k]));
  }

  async copyOut(text, words) {
    await copyOut(text, this.editor.$('.desk'), this.editor.$('.done'), words);
  }

  async copyLink() {
    const fragment = await fragmentFor(this.editor.writing.reading.text);
    const query = new URLSearchParams({ encoding: this.editor.encoding.key, special: this.editor.encoding.special });
    if (fragment === null) this.editor.notice.say(`This text is too long for a link (over ${grouped(LONGEST)} characters). The link copied brings the encoding and options, not the text.`);
    await this.copyOut(`${location.origin}${location.pathname}?${query}${fragment ? `#${fragment}` : ''}`, fragment === null ? 'Link without the text copied.' : 'Link copied. It holds the text; no server sees it.');
  }

  async download(form) {
    const body = question([{ bytes: new TextEncoder().encode(this.editor.doc.text) }]);
    const answer = await this.editor.door.ask(form, { encoding: this.editor.encoding.key, special: this.editor.encoding.special }, body);
    this.offer(new Blob([answer]), form);
  }

  downloadSvg() {
    const frame = document.createElement('div');
    frame.className = 'tokens sheet';
    this.editor.$('.desk').append(frame);
    const { svg, left } = drawSvg(this.editor.doc.chunks, frame, this.editor.tokens.show());
    frame.remove();
    if (left) this.editor.notice.say(`A picture holds the first tokens; ${grouped(left)} more did not fit.`);
    this.offer(new Blob([svg], { type: 'image/svg+xml' }), 'svg');
  }

  offer(blob, form) {
    const anchor = document.createElement('a');
    anchor.href = URL.createObjectURL(blob);
    anchor.download = `tokens-${this.editor.encoding.name.replace(/[^\w.-]+/g, '_')}.${form}`;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
  }
}
