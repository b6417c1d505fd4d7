// Tokens over the size of a vocabulary, a line for each script, with a slider over it. Both have a logarithmic scale.
import { make } from '../dom/elements.js';
import { tr, trn } from '../dom/i18n.js';
import { NEVER } from '../recut/closings.js';
import { formatInteger, setText } from '../tokens/readout.js';
import { countTokens, OTHER } from './script-counts.js';

const WIDTH = 1000, HEIGHT = 100; // of the curve's coordinate system
const TICKS = [0, 10, 100, 1000, 10_000, 100_000];
const SVG = 'http://www.w3.org/2000/svg';

/** Returns where a number of merges is on the scale, 0 to 1. */
export const shareOf = (n, numMerges) => (numMerges ? Math.log1p(n) / Math.log1p(numMerges) : 1);

/** Returns the number of merges at a place of the scale. */
export const mergesAt = (share, numMerges) => Math.round(Math.expm1(share * Math.log1p(numMerges)));

const nameOf = ({ name }) => (name === OTHER ? tr('other characters') : tr(name));

/** Draws the curve into a new element. `onInput(n)` is called for each number of merges that the visitor selects. */
export class Curve {
  constructor(onInput) {
    this.range = Object.assign(make('input', 'over-curve'), { type: 'range', min: 0, max: 1, step: 'any', value: 1 });
    this.range.ariaLabel = tr('Merges applied');
    this.range.addEventListener('input', () => onInput(mergesAt(Number(this.range.value), this.numMerges)));
    this.svg = document.createElementNS(SVG, 'svg');
    this.svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    this.svg.setAttribute('preserveAspectRatio', 'none');
    this.svg.setAttribute('role', 'img');
    this.dots = make('div', 'dots');
    this.ticks = make('div', 'ticks');
    this.legend = make('ul', 'legend');
    const levels = [100, 50, 0].map((n) => make('span', 'level', String(n)));
    const plot = make('div', 'plot', ...levels, this.svg, this.dots, this.range);
    this.element = make(
      'div', 'size-curve', this.legend, make('p', 'axis', tr('tokens per 100 bytes')), plot, this.ticks,
    );
    for (const decoration of [this.dots, this.ticks, ...this.element.querySelectorAll('.axis, .level')])
      decoration.ariaHidden = 'true';
  }

  /** @param scripts  those of `countScripts` */
  load(scripts, numMerges) {
    Object.assign(this, { scripts, numMerges });
    this.svg.setAttribute('aria-label', this.inWords());
    this.svg.replaceChildren(...scripts.flatMap((script, i) => {
      const points = this.pointsOf(script);
      const line = points.map(([x, y], k) => (k ? `H${x}V${y}` : `M${x} ${y}`)).join('') + `H${WIDTH}`;
      const marks = points.slice(1).map(([x, y]) => `M${x} ${y}h0`).join('');
      return [svgPath(`line ${lookOf(script, i)}`, line), svgPath(`marks ${lookOf(script, i)}`, marks)];
    }));
    this.dots.replaceChildren(...scripts.map((script, i) => make('i', lookOf(script, i))));
    this.values = scripts.map(() => make('b'));
    this.legend.replaceChildren(...scripts.map((script, i) => {
      const sample = svgPath(`line ${lookOf(script, i)}`, 'M0 5H28'), picture = document.createElementNS(SVG, 'svg');
      picture.setAttribute('viewBox', '0 0 28 10');
      picture.setAttribute('aria-hidden', 'true');
      picture.append(sample);
      return make('li', '', picture, `${nameOf(script)} `, this.values[i]);
    }));
    const shown = [...TICKS.filter((n) => shareOf(n, numMerges) < 0.93), numMerges];
    this.ticks.replaceChildren(...shown.map((n) => {
      const tick = make('span', '', formatInteger(n));
      tick.style.setProperty('--at', shareOf(n, numMerges));
      return tick;
    }));
  }

  // Returns the places where the line of a script begins, and goes down.
  pointsOf(script) {
    const { closings, numBytes } = script, points = [[0, 0]];
    closings.forEach((merge, i) => {
      if (merge === NEVER || closings[i + 1] === merge) return;
      const left = numBytes - i - 1;
      points.push([round(WIDTH * shareOf(merge + 1, this.numMerges)), round(HEIGHT * (1 - left / numBytes))]);
    });
    return points;
  }

  show(n, words) {
    const share = shareOf(n, this.numMerges);
    if (mergesAt(Number(this.range.value), this.numMerges) !== n) this.range.value = share;
    this.range.setAttribute('aria-valuetext', words);
    this.scripts.forEach((script, i) => {
      const count = countTokens(script, n), tokens = trn('{n} token', '{n} tokens', count);
      const bytes = trn('{n} byte', '{n} bytes', script.numBytes);
      setText(this.values[i], tr('{tokens} for {bytes}', { tokens, bytes }));
      const dot = this.dots.children[i];
      dot.style.setProperty('--at', share);
      dot.style.top = `${100 * (1 - count / script.numBytes)}%`;
    });
  }

  // Returns the curve as sentences, one for each script.
  inWords() {
    const steps = [...TICKS.filter((n) => n < this.numMerges), this.numMerges];
    return this.scripts.map((script) => {
      const counts = steps.map((n) => tr('{tokens} with {n} merges', { tokens: countTokens(script, n), n }));
      return tr('{script}, number of tokens: {counts}.', { script: nameOf(script), counts: counts.join(', ') });
    }).join(' ');
  }
}

const round = (number) => Math.round(number * 10) / 10;

const lookOf = ({ name }, i) => (name === OTHER ? 'other' : `s${i}`);

function svgPath(name, d) {
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('class', name);
  path.setAttribute('d', d);
  return path;
}
