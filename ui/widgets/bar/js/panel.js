// The panel that shares this page as a QR code, a link or a file, and opens saved files.
import { inDocument } from '../../../../web/js/dom/document-state.js';
import { copyText, showBriefly, saveFile } from '../../../../web/js/dom/clipboard.js';
import { make, makeButton, withTimeout } from '../../../../web/js/dom/elements.js';
import {
  fetchQrCode, DENSE_QR_CODE_BYTES, fileOfPage, localWarning, buildLink, MAX_QR_CODE_BYTES, openFile, currentPage,
} from '../../../../web/js/net/page-link.js';
import { MAX_LINK_CHARACTERS } from '../../../../web/js/net/text-link.js';
import { tr } from '../../../../web/js/dom/i18n.js';

const DECODE_TIMEOUT_MS = 20_000;

class Panel {
  epoch = 0; // grows with each drawing: the results of an older one are dropped

  constructor() {
    this.dialog = make('dialog', 'link-panel');
    this.dialog.addEventListener('click', ({ target }) => { if (target === this.dialog) this.dialog.close(); });
    // the event fires late: the panel may be open again
    this.dialog.addEventListener('close', () => { if (!this.dialog.open) this.clear(); });
    for (const kind of ['dragover', 'drop']) this.dialog.addEventListener(kind, (event) => this.onDrop(event));
    document.body.append(this.dialog);
  }

  /** Opens the panel in the current language, or closes an open one. */
  async open() {
    if (this.dialog.open) return this.dialog.close();
    this.clear();
    this.build();
    this.isOpening = false;
    this.dialog.showModal();
    await this.redraw();
  }

  // Draws the link again. The buttons are disabled until then, because the drawing moves them.
  async redraw() {
    this.discard();
    this.codeElement.replaceChildren();
    this.linkElement.textContent = '';
    this.showNotes([tr('Drawing …')]);
    this.enable(false);
    const { epoch } = this;
    await this.draw().catch((error) => { if (epoch === this.epoch) this.showNotes([error.message]); });
    if (epoch === this.epoch) this.enable(true);
  }

  enable(isEnabled) {
    for (const button of this.dialog.querySelectorAll('.row button')) button.disabled = !isEnabled;
  }

  build() {
    this.codeElement = make('div', 'code');
    this.notes = Object.assign(make('div', 'notes'), { role: 'status' });
    this.linkElement = Object.assign(make('p', 'address'), { tabIndex: 0, dir: 'ltr' });
    this.done = Object.assign(make('span', 'done'), { role: 'status' });
    this.input = Object.assign(make('input'), { type: 'file', hidden: true });
    this.input.addEventListener('change', () => { this.loadFile(this.input.files[0]); this.input.value = ''; });
    this.onlyMergesBox = Object.assign(make('input'), { type: 'checkbox' });
    this.onlyMergesBox.addEventListener('change', () => {
      this.isOpening = false; // the notes are about the new link
      this.redraw();
    });
    this.onlyMergesLabel = Object.assign(
      make('label', 'alone', this.onlyMergesBox, tr(
        'Include only the merges, not the text that the tokenizer was trained on')),
      { hidden: true },
    );
    const heading = Object.assign(make('h2', '', tr('Share this page')), { id: 'link-panel-title' });
    this.linkElement.setAttribute('role', 'group');
    this.linkElement.setAttribute('aria-label', tr('Link'));
    this.dialog.setAttribute('aria-labelledby', heading.id);
    const close = makeButton('close', () => this.dialog.close(), '✕');
    close.setAttribute('aria-label', tr('Close'));
    const header = make('header', '', heading, close);
    const text = make(
      'div', 'details', header, this.notes, this.onlyMergesLabel, this.linkElement, this.buttons(), this.done,
    );
    this.dialog.replaceChildren(make('div', 'panes', this.codeElement, text));
  }

  buttons() {
    const words = tr('A file also keeps what is too long for a link. Drop a saved file here to open it.');
    const row = make(
      'div', 'row', makeButton('', () => this.copy(), tr('Copy link')),
      makeButton('', () => this.save(), tr('Save as a file')),
      makeButton('', () => this.input.click(), tr('Open a file')), this.input,
    );
    return make('div', '', row, make('p', 'hint', words));
  }

  // Draws the link, its QR code and the notes, unless a newer drawing has started meanwhile.
  async draw() {
    const { epoch } = this, page = await currentPage(this.onlyMergesBox.checked), found = await buildLink(page);
    if (epoch !== this.epoch) return;
    const { href } = found, size = new TextEncoder().encode(href).length;
    Object.assign(this, { page, href });
    this.onlyMergesLabel.hidden = !page.hasTrained;
    this.linkElement.textContent = href;
    if (size <= MAX_QR_CODE_BYTES) await this.drawCode(href);
    if (epoch !== this.epoch) return;
    const notes = [
      size > MAX_QR_CODE_BYTES &&
        tr(
          'This link is too long for a QR code: it has {n} bytes, and the limit here is {most} bytes. Copy ' +
            'the link, or save a file.',
          { n: size, most: MAX_QR_CODE_BYTES },
        ),
      localWarning(),
      page.includesCorpus &&
        tr(
          'Anyone who has this link, or the file that you save here, can read the text that a tokenizer on this ' +
            'page was trained on, or the beginning of that text.',
        ),
      found.omitsTyped &&
        tr(
          'The link does not contain everything on this page: it would be too long. Save a file to keep everything.',
        ),
      found.omitsText &&
        tr(
          'The link does not contain the text, because a link holds at most {most} characters of text. Save a ' +
            'file to keep the text.',
          { most: MAX_LINK_CHARACTERS },
        ),
      ...found.omissions,
      page.hasTrained && this.onlyMergesBox.checked &&
        tr(
          'Without the training text, the counts of pairs are unknown and there is no timeline. ' +
            'Every page except Train still shows the same tokens.',
        ),
      size > DENSE_QR_CODE_BYTES && size <= MAX_QR_CODE_BYTES &&
        tr(
          'This QR code is dense ({n} bytes), so it can be hard to scan from the back row. A shorter link gives a' +
            ' QR code with larger squares.',
          { n: size },
        ),
    ].filter(Boolean);
    if (!this.isOpening) this.showNotes(notes); // otherwise the message about the file stays
  }

  async drawCode(href) {
    const { epoch } = this;
    const url = await fetchQrCode(href);
    const image = Object.assign(make('img'), { src: url, alt: tr('QR code of the link') });
    await withTimeout(DECODE_TIMEOUT_MS, image.decode());
    if (epoch !== this.epoch) return URL.revokeObjectURL(url);
    this.url = url;
    this.codeElement.replaceChildren(image);
  }

  showNotes(notes) {
    this.notes.replaceChildren(...notes.map((words) => make('p', '', words)));
  }

  async copy() {
    if (this.href) await copyText(this.href, this.dialog, this.done, tr('Link copied.'));
  }

  save() {
    if (!this.page) return;
    try {
      const { blob, name } = fileOfPage(this.page);
      saveFile(blob, name);
      showBriefly(this.done, tr('Saved as {name}.', { name }));
    } catch (error) {
      this.showNotes([error.message]);
    }
  }

  onDrop(event) {
    event.preventDefault();
    if (event.type === 'drop' && event.dataTransfer.files.length) this.loadFile(event.dataTransfer.files[0]);
  }

  async loadFile(file) {
    if (!file) return;
    this.isOpening = true;
    this.showNotes([tr('Opening …')]);
    const problem = await openFile(file);
    if (problem) this.showNotes([problem]);
    else this.dialog.close();
  }

  clear() {
    this.discard();
    this.dialog.replaceChildren();
  }

  // Discards the link and its QR code, drawn or being drawn.
  discard() {
    this.epoch += 1;
    if (this.url) URL.revokeObjectURL(this.url);
    this.url = this.href = this.page = null;
  }
}

/** Returns the document's panel, with the methods of the calling bundle, which have the words of its language. */
export const panel = () => Object.setPrototypeOf(inDocument('panel', () => new Panel()), Panel.prototype);
