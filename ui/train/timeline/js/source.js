// What the timeline asks the server: the story of a training, and a text cut by it.
import { wellFormed } from '../../../kit/js/text.js';
import { question, rows } from '../../../kit/js/wire.js';
import { Recut } from './recut.js';
import { Story } from './story.js';

export const LONGEST_TEXT = 3000; // characters

export async function askStory(door, key) {
  return new Story(rows(await door.ask('story', { encoding: key, special: 'text' }, question([]))));
}

/** The text, or the beginning of a long one, cut; `left` says how many characters were left out. */
export async function askRecut(door, key, text) {
  const characters = Array.from(wellFormed(text)), shown = characters.slice(0, LONGEST_TEXT).join('');
  const answer = await door.ask('recut', { encoding: key, special: 'text' }, question([{ bytes: new TextEncoder().encode(shown) }]));
  return Object.assign(new Recut(shown, ...rows(answer)), { left: Math.max(0, characters.length - LONGEST_TEXT) });
}
