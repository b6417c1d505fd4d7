// The visitor's text on a page that draws it in Python: sends it soon after typing.
import { provideLinkContent } from '../../../../web/js/editor/tab-state.js';
import { mount, Component } from '../../../../web/js/dom/component.js';
import { Notice } from '../../../../web/js/editor/notice.js';
import { RTL_CHARACTERS } from '../../../../web/js/editor/text.js';
import { TextEditor } from '../../../../web/js/editor/text-editor.js';

const COMMIT_DELAY_MS = 200; // without input

class LiveText extends Component {
  constructor(root) {
    super(root);
    this.notice = new Notice(this.$('.notice'));
    this.textEditor = new TextEditor(this.$('textarea'), this.notice, () => this.onChange(), COMMIT_DELAY_MS);
    provideLinkContent(() => ({ text: this.textEditor.reading.text }), this.windowListeners.signal);
    this.resizeOnFocus(this.textEditor.area, this.windowListeners.signal);
  }

  onChange() {
    const { reading } = this.textEditor;
    this.desk.classList.toggle('leftward', RTL_CHARACTERS.test(reading.text));
    this.notice.show(reading, []);
  }

  // The textarea grows with its text while it has the focus. It shrinks only after a press elsewhere has ended, so that
  // the pressed element does not move away from the pointer.
  resizeOnFocus(area, signal) {
    let isPressed = false;
    const fit = () => { if (!isPressed) this.desk.classList.toggle('writing', area.matches(':focus')); };
    for (const kind of ['focus', 'blur']) area.addEventListener(kind, fit);
    addEventListener('pointerdown', () => { isPressed = true; }, { signal, capture: true });
    for (const kind of ['pointerup', 'pointercancel'])
      addEventListener(
        kind,
        () => {
          isPressed = false;
          setTimeout(fit);
        },
        { signal, capture: true },
      );
  }

  update({ data: { push } }) {
    this.textEditor.receive(push);
  }

  destroy() {
    this.textEditor.destroy();
  }
}

export default mount(LiveText);
