// Pictures for slides: boxes, borders, bars and charts as on the page, in widely supported colours.
import { equal } from './check.js';
import { pictureOf } from '/web/js/tokens/picture.js';

const LOOK = 'position: absolute; left: 0; top: 0; width: 100px; height: 40px; box-sizing: border-box;';

/** Returns the attributes of the rectangles and paths in the picture of an element with this style. */
function drawn(style, ...children) {
  const root = document.createElement('div'), one = document.createElement('div');
  one.style.cssText = LOOK + style;
  one.append(...children);
  root.append(one);
  document.body.append(root);
  const { svg } = pictureOf(root, 'white'), found = new DOMParser().parseFromString(svg, 'image/svg+xml');
  root.remove();
  return Array.from(found.querySelectorAll('g > rect, path'), (shape) =>
    Object.fromEntries(shape.getAttributeNames().map((name) => [name, shape.getAttribute(name)])),
  );
}

export function border_is_drawn_inside_its_box() {
  const [box, ...others] = drawn('border: 2px solid #000');
  equal(
    [box.fill, box.stroke, box['stroke-width'], box.width, box.height, others.length],
    ['none', 'rgb(0, 0, 0)', '2', '98', '38', 0],
  );
}

export function one_sided_border_is_a_line_on_that_side() {
  const [line, ...others] = drawn('border-left: 3px solid #000');
  equal([line.fill, line.width, line.height, others.length], ['rgb(0, 0, 0)', '3', '40', 0]);
  const [below] = drawn('border-bottom: 4px solid rgb(1, 2, 3)'), [above] = drawn('border-top: 4px solid rgb(1, 2, 3)');
  equal([below.y - above.y, below.width, below.height, below.fill], [36, '100', '4', 'rgb(1, 2, 3)']);
}

export function large_radius_rounds_the_ends_of_a_bar() {
  const [pill] = drawn('border-radius: 999px; background: #000');
  equal(pill.rx, '20'); // half the height: a viewer would limit x and y by themselves and draw an ellipse
}

export function invisible_boxes_are_not_drawn() {
  equal(drawn('border: 2px solid transparent; background: rgb(0 0 0 / 0)'), []);
  equal(drawn('border: 2px none #000'), []);
}

export function mixed_colours_become_rgb_with_opacity() {
  const [box] = drawn('background: color-mix(in srgb, #000 20%, transparent)');
  equal([box.fill, box['fill-opacity']], ['rgb(0, 0, 0)', '0.2']);
}

export function bar_has_its_length_on_the_page() {
  const [bar] = drawn(
    '--share: 0.25; background: linear-gradient(#f00 0 0) left / calc(100% * var(--share)) 100% no-repeat',
  );
  equal([bar.width, bar.height, bar.fill], ['25', '40', 'rgb(255, 0, 0)']);
}

export function chart_has_its_style_from_css() {
  const chart = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', 'M0 0L9 9');
  path.style.cssText = 'fill: none; stroke: color-mix(in srgb, #00f 50%, transparent); stroke-width: 3px';
  chart.append(path);
  const [line] = drawn('', chart);
  equal(
    [line.fill, line.stroke, line['stroke-opacity'], line['stroke-width']],
    ['none', 'rgb(0, 0, 255)', '0.5', '3px'],
  );
}

export function wrapped_emoji_are_drawn_whole() {
  const root = document.createElement('div');
  root.style.cssText = 'position: fixed; inset: 0; width: 60px; font: 16px/20px monospace; word-break: break-all';
  root.textContent = 'a😀b👩‍👦'.repeat(12);
  document.body.append(root);
  const { svg } = pictureOf(root, 'white'), found = new DOMParser().parseFromString(svg, 'image/svg+xml');
  root.remove();
  const lines = Array.from(found.querySelectorAll('text'), (line) => line.textContent);
  equal(lines.join(''), 'a😀b👩‍👦'.repeat(12));
  equal([lines.length > 3, lines.filter((line) => !line.isWellFormed())], [true, []]);
}

/** Returns [text, direction] of the drawn runs of a token view with these pieces. */
function runsOf(dir, ...pieces) {
  const root = document.createElement('div'), view = document.createElement('div');
  view.className = 'tokens';
  view.dir = dir;
  root.style.cssText = 'position: fixed; inset: 0; width: 600px; font: 16px/20px monospace; white-space: pre';
  for (const text of pieces) {
    const piece = document.createElement('span');
    Object.assign(piece, { className: 't', textContent: text }).dataset.colors = '0';
    view.append(piece);
  }
  root.append(view);
  document.body.append(root);
  const { svg } = pictureOf(root, 'white'), found = new DOMParser().parseFromString(svg, 'image/svg+xml');
  root.remove();
  return Array.from(found.querySelectorAll('text'), (run) => [run.textContent, run.getAttribute('direction')]);
}

export function right_to_left_words_keep_their_spaces_and_brackets() {
  equal(runsOf('rtl', 'שלום', ' ', 'לכם', ' ', '(', 'ABC', ')', '.'), [
    ['שלום לכם (', 'rtl'], ['ABC', null], [').', 'rtl'],
  ]);
  equal(runsOf('rtl', '(', 'ABC', ')'), [['(', 'rtl'], ['ABC', null], [')', 'rtl']]);
  equal(runsOf('ltr', 'See', ' ', 'שלום', ' ', '(', 'ABC', ')'), [
    ['See', null], ['שלום', 'rtl'], ['(', null], ['ABC', null], [')', null],
  ]);
  equal(runsOf('ltr', 'שלום', ' ', '[', 'לכם', ' ', '1', '].'), [
    ['שלום [לכם ', 'rtl'], ['1', null], [']', 'rtl'], ['.', null],
  ]);
}
