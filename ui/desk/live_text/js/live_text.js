// The desk's text on a page that draws it in Python: what one writes is told the server soon.
import { mount, Part } from '../../../kit/js/mount.js';
import { Notice } from '../../../kit/js/notice.js';
import { Writing } from '../../../kit/js/writing.js';

const SOON = 200; // ms without a key

class LiveText extends Part {
  constructor(root) {
    super(root);
    this.notice = new Notice(this.$('.notice'));
    this.writing = new Writing(this.$('textarea'), this.notice, {
      moved: () => this.notice.show(this.writing.reading, []),
      send: (commit) => this.component.setTriggerValue('commit', commit),
    }, SOON);
  }

  update(component) {
    this.component = component;
    this.writing.receive(component.data.push);
  }

  leave() {
    this.writing.leave();
  }
}

export default mount(LiveText);
