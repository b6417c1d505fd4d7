// The Playground of the static page: a text and its tokens in the chosen encoding.
import { mount } from '../../../../web/js/dom/component.js';
import { TextEditor } from '../../../../web/js/editor/text-editor.js';
import { OfflineEditor } from '../../take_home/editor/js/offline-editor.js';
import { OfflineText } from '../../take_home/editor/js/offline-text.js';

class SiteText extends OfflineText {
  encoders() {
    return this.host.client.encodersOf(this.encoding.key);
  }

  // Nothing is done with the answers for an older encoding, so it does not matter if there are none.
  async answersFor(batch) {
    const { epoch } = this;
    try {
      return await super.answersFor(batch);
    } catch (error) {
      if (epoch === this.epoch) throw error;
      return [];
    }
  }
}

class Playground extends OfflineEditor {
  makeText(...places) {
    return new SiteText(...places);
  }

  makeTextEditor(...parts) {
    return new TextEditor(...parts);
  }

  update({ data, client }) {
    this.client = client;
    const isChanged = this.tokenized.setEncoding(data.encoding);
    if (isChanged) this.pointer.unpin();
    this.textEditor.receive(data.push);
    if ((isChanged || this.tokenized.failure) && this.textEditor.isOpen) this.tokenized.requestMissing();
  }

  destroy() {
    this.textEditor.destroy();
    this.tokenized.destroy();
    this.slider.close();
    clearTimeout(this.vocabularyTimer);
  }
}

export default mount(Playground);
