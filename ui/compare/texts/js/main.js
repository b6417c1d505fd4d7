import { mount } from '../../../kit/js/mount.js';
import { Texts } from './texts.js';

export default mount(Texts);
