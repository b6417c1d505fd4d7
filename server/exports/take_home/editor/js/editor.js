// The text of the take-home page, which can be changed.
import { OfflineEditor } from './offline-editor.js';
import { mount } from '../../../../../web/js/dom/component.js';

export default mount(OfflineEditor);
