// Copies without the clipboard API, which a page without https lacks.
import { copyText } from '/web/js/dom/clipboard.js';
import { equal } from './check.js';

export async function pressed_button_keeps_the_focus_and_the_page_its_place() {
  const host = document.createElement('div'), root = host.attachShadow({ mode: 'open' }), done = make('p');
  const button = make('button'), below = make('div');
  below.style.height = '5000px';
  root.append(button, done, below);
  document.body.append(host);
  button.focus();
  await copyText('copied', below, done, 'Copied.');
  equal([root.activeElement === button, root.querySelector('textarea'), scrollY], [true, null, 0]);
  host.remove();
}

const make = (name) => document.createElement(name);
