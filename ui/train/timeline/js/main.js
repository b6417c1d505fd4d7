import { mount } from '../../../kit/js/mount.js';
import { Timeline } from './timeline.js';

export default mount(Timeline);
