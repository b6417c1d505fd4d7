// The coloured text as an SVG of its own, measured from the browser's own layout: every script, every direction, as it stands on screen.
import { COLORS } from '../../kit/js/colors.js';
import { make } from '../../kit/js/dom.js';
import { bandsOf, paintTokens, partsOf, RIGHT_TO_LEFT } from '../../kit/js/paint.js';

const FONT = "'Source Code Pro', ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const MOST_TOKENS = 5000;
const PAD = 16;

/** { svg, left } for a document: the picture, and how many tokens did not fit into it. `frame` is an empty element styled as the token view. */
export function drawSvg(chunks, frame, show) {
  let budget = MOST_TOKENS, left = 0;
  for (const chunk of chunks) {
    if (budget <= 0) { left += chunk.ids.length; continue; }
    for (const part of partsOf(chunk)) {
      if (budget <= 0) { left += part.to - part.from; continue; }
      budget -= part.to - part.from;
      frame.append(paintTokens(chunk, part.pieces, part.from, part.to, show).fragment);
    }
  }
  const style = getComputedStyle(frame), box = frame.getBoundingClientRect();
  const shapes = [], runs = [], palette = Array.from({ length: COLORS }, (_, color) => resolved(frame, `var(--tok-${color})`));
  for (const element of frame.children) drawPiece(element, palette, box, shapes, runs);
  const width = Math.ceil(box.width + 2 * PAD), height = Math.ceil(box.height + 2 * PAD);
  const ink = escapeXml(style.color), fontSize = parseFloat(style.fontSize);
  const texts = runs.map((run) => drawRun(run, fontSize)).join('');
  return {
    left,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-PAD} ${-PAD} ${width} ${height}">`
      + `<rect x="${-PAD}" y="${-PAD}" width="100%" height="100%" fill="${escapeXml(resolved(frame, 'var(--paper)'))}"/>${shapes.join('')}`
      + `<g fill="${ink}" font-family="${escapeXml(FONT)}" font-size="${fontSize}" xml:space="preserve">${texts}</g></svg>`,
  };
}

function drawPiece(element, palette, box, shapes, runs) {
  const style = getComputedStyle(element), colors = bandsOf(element).map((color) => palette[color]);
  for (const rect of element.getClientRects()) {
    const x = rect.left - box.left, y = rect.top - box.top, width = rect.width / colors.length;
    colors.forEach((color, i) => {
      shapes.push(`<rect x="${round(x + i * width)}" y="${round(y)}" width="${round(width)}" height="${round(rect.height)}" fill="${escapeXml(color)}"/>`);
      shapes.push(`<path d="M${round(x + i * width)} ${round(y)}v${round(rect.height)}" stroke="${escapeXml(style.color)}" stroke-opacity=".45"/>`);
    });
  }
  if (element.matches('.unseen, .bare:empty')) addName(element, box, runs);
  for (const node of textNodes(element)) addRuns(node, box, runs, element);
}

// A color as this theme resolves it.
function resolved(frame, color) {
  const probe = make('span');
  probe.style.color = color;
  frame.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function* textNodes(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!walker.currentNode.parentElement.matches('.z')) yield walker.currentNode;
}

// A token that shows nothing by itself is drawn by its name, as on screen.
function addName(element, box, runs) {
  const rect = element.getBoundingClientRect(), text = element.dataset.m ?? Array.from(element.querySelectorAll('.z'), (sign) => sign.dataset.m).join(' ');
  runs.push({ text, x: rect.left - box.left + 3, right: rect.right - box.left - 3, y: rect.top - box.top, height: rect.height, size: 0.6875 });
}

// A piece is a run of text at its own place; pieces of a right-to-left script that follow one another are one, so that letters join.
function addRuns(node, box, runs, element) {
  if (!node.data.trim()) return; // its colour says enough
  const range = document.createRange();
  range.selectNodeContents(node);
  const leftward = RIGHT_TO_LEFT.test(node.data) && !element.classList.contains('room');
  for (const { from, to, ...rect } of linesOf(node, range)) {
    const x = rect.left - box.left, right = rect.right - box.left, y = rect.top - box.top, last = runs[runs.length - 1];
    const text = node.data.slice(from, to).replace(/[\n\r]/g, '');
    if (leftward && last?.leftward && Math.abs(last.y - y) < 2) {
      Object.assign(last, { text: last.text + text, x: Math.min(last.x, x), right: Math.max(last.right, right) });
    } else {
      runs.push({ text, x, right, y, height: rect.height, leftward });
    }
  }
}

// A text node cut where it wraps: from where to where a visual line goes, and its box.
function linesOf(node, range) {
  const whole = range.getBoundingClientRect(), lines = [];
  if (range.getClientRects().length < 2) return [{ from: 0, to: node.data.length, left: whole.left, right: whole.right, top: whole.top, height: whole.height }];
  for (let i = 0; i < node.data.length; i++) {
    range.setStart(node, i);
    range.setEnd(node, i + 1);
    const { left, right, top, height, width } = range.getBoundingClientRect(), last = lines.at(-1);
    if (!last || (width && Math.abs(top - last.top) > 2)) lines.push({ from: i, to: i + 1, left, right, top, height });
    else Object.assign(last, { to: i + 1 }, width && { left: Math.min(last.left, left), right: Math.max(last.right, right) });
  }
  return lines;
}

function drawRun({ text, x, right, y, height, leftward, size = 1 }, fontSize) {
  const place = leftward ? `x="${round(right)}" direction="rtl"` : `x="${round(x)}"`;
  return `<text ${place} y="${round(y + height / 2 + fontSize * size * 0.36)}" font-size="${round(fontSize * size)}" textLength="${round(right - x)}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
}

const round = (x) => Math.round(x * 100) / 100;

// XML has no way to write most control characters, not even as references.
export function escapeXml(text) {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
