// The buttons: switches, copies, downloads.
import { copyLink, copyOut } from '../../kit/js/clipboard.js';
import { make } from '../../kit/js/dom.js';
import { Refused } from '../../kit/js/door.js';
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
      else if (action === 'copy-ids') await this.copyIds();
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

  async copyIds() {
    const { doc, $ } = this.editor;
    await copyOut(doc.chunks.map((chunk) => Array.from(chunk.ids).join(' ')).filter(Boolean).join(' '), $('.desk'), $('.done'), 'Ids copied.');
  }

  async copyLink() {
    const { writing, encoding, notice, $ } = this.editor;
    await copyLink(writing.reading.text, new URLSearchParams({ encoding: encoding.key, special: encoding.special }), 'encoding', notice, $('.desk'), $('.done'));
  }

  async download(form) {
    const body = question([{ bytes: new TextEncoder().encode(this.editor.doc.text) }]);
    const answer = await this.editor.door.ask(form, { encoding: this.editor.encoding.key, special: this.editor.encoding.special }, body);
    this.offer(new Blob([answer]), form);
  }

  downloadSvg() {
    const frame = make('div', 'tokens sheet');
    this.editor.$('.desk').append(frame);
    const { svg, left } = drawSvg(this.editor.doc.chunks, frame, this.editor.tokens.show());
    frame.remove();
    if (left) this.editor.notice.say(`A picture holds the first tokens; ${grouped(left)} more did not fit.`);
    this.offer(new Blob([svg], { type: 'image/svg+xml' }), 'svg');
  }

  offer(blob, form) {
    const anchor = make('a');
    anchor.href = URL.createObjectURL(blob);
    anchor.download = `tokens-${this.editor.encoding.name.replace(/[^\w.-]+/g, '_')}.${form}`;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
  }
}
