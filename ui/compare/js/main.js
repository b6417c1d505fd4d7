import { mount } from '../../kit/js/mount.js';
import { Compare } from './compare.js';

export default mount(Compare);
