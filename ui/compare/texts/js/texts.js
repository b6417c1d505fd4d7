// Two texts under one encoding: each with its tokens, and how far apart their numbers are.
import { kept, keep } from '../../../kit/js/desk.js';
import { make } from '../../../kit/js/dom.js';
import { Door } from '../../../kit/js/door.js';
import { bothCounts, Notice } from '../../../kit/js/notice.js';
import { Reader } from '../../../kit/js/reader.js';
import { readingOf } from '../../../kit/js/reading.js';
import { countDocument, fixed, grouped } from '../../../kit/js/readout.js';
import { rawAfterEdit, shown } from '../../../kit/js/text.js';
import { Writing } from '../../../kit/js/writing.js';

const ROWS = { tokens: 'tokens', characters: 'characters (code points)', bytes: 'bytes in UTF-8' };

/** The second text: this tab keeps it, and no desk of the server's. */
class Second {
  constructor(area, moved) {
    Object.assign(this, { area, moved });
    this.put(kept().second ?? '');
    area.addEventListener('input', () => {
      this.raw = rawAfterEdit(this.raw, area.value, null);
      this.changed();
    });
  }

  /** Takes a text that the page gives, once. */
  receive(push) {
    if (!push || push.id === kept().secondPush) return;
    keep({ secondPush: push.id });
    this.put(push.text);
    this.changed();
  }

  put(text) {
    this.raw = text;
    this.area.value = shown(text);
  }

  changed() {
    keep({ second: this.raw });
    this.moved();
  }

  get reading() {
    if (this.read?.raw !== this.raw) this.read = readingOf(this.raw);
    return this.read;
  }
}

export class Texts {
  constructor(root) {
    this.desk = root.querySelector('.texts');
    this.notice = new Notice(root.querySelector('.notice'));
    const [one, other] = root.querySelectorAll('.pane'), area = (pane) => pane.querySelector('textarea');
    this.first = new Writing(area(one), this.notice, {
      moved: () => this.readers[0].pump(),
      send: (commit) => this.component.setTriggerValue('commit', commit),
    });
    this.second = new Second(area(other), () => this.readers[1].pump());
    this.readers = [[one, this.first], [other, this.second]].map(([pane, writing]) => new Reader(pane.querySelector('.tokens'), pane, this.hostOf(pane, writing)));
  }

  hostOf(pane, writing) {
    const texts = this;
    return {
      writing,
      notice: this.notice,
      get door() { return texts.door; },
      show: () => ({ withBytes: false }),
      edited: (doc) => {
        pane.classList.toggle('leftward', doc.chunks.some((chunk) => chunk.leftward));
        this.desk.classList.add('unsure');
      },
      settled: () => this.settled(),
    };
  }

  /** Takes what a rerun of the page says; `component` is Streamlit's, new every time. */
  update(component) {
    const { data } = component;
    this.component = component;
    this.door ??= new Door(data.url);
    this.door.update(component, this.notice);
    const changed = this.readers.map((reader) => reader.use(data.encoding));
    this.second.receive(data.second);
    this.first.receive(data.push);
    if (changed[0] && this.first.isOpen) this.readers[0].pump();
    if (changed[1]) this.readers[1].pump();
  }

  settled() {
    const counts = this.readers.map(({ doc }) => countDocument(doc)), { encoding } = this.readers[0];
    const spelled = counts.map((own) => bothCounts(encoding, own)).map((words, i) => words && `${['First', 'Second'][i]} text: ${words}`);
    this.notice.show(this.second.reading.tooLong ? this.second.reading : this.first.reading, spelled);
    if (this.readers.some(({ isStale }) => isStale)) return;
    this.desk.classList.remove('unsure');
    this.desk.querySelector('tbody').replaceChildren(...Object.entries(ROWS).map(([name, words]) => row(words, ...counts.map((own) => own[name]))));
  }

  leave() {
    this.first.leave();
    for (const reader of this.readers) reader.leave();
    this.door?.close();
  }
}

function row(words, first, second) {
  const difference = `${second < first ? '−' : second > first ? '+' : ''}${grouped(Math.abs(second - first))}`;
  const ratio = first ? fixed(second / first) : '–', line = make('tr'), head = make('th', '', words);
  head.scope = 'row';
  line.append(head, ...[grouped(first), grouped(second), difference, ratio].map((text) => make('td', '', text)));
  return line;
}
