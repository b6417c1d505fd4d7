import { mount } from '../../kit/js/mount.js';
import { Editor } from './editor.js';

export default mount(Editor);
