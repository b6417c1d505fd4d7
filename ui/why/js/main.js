import { mount } from '../../kit/js/mount.js';
import { Ladder } from './ladder.js';

export default mount(Ladder);
