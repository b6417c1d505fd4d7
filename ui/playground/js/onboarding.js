// First visit: what a token is, what the sample's second line costs compared with the first, and three suggestions,
// until the visitor changes the text.
import { setText } from '../../components/js/tokens/readout.js';

export class Onboarding {
  constructor(editor) {
    this.editor = editor;
    const { area } = editor.textEditor;
    area.addEventListener('focus', () => { if (this.isShown) area.select(); }); // the first input replaces the sample
  }

  /** `comparison` is a sentence on the lines of the sample `text`. */
  update({ text, comparison }) {
    this.text = text;
    setText(this.editor.$('.times'), comparison);
  }

  get isShown() {
    return this.editor.textEditor.raw === this.text;
  }

  /** Runs after tokens have arrived, for this text or another. */
  onSettled() {
    this.editor.desk.classList.toggle('arriving', this.isShown);
  }
}
