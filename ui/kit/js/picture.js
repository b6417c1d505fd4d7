// Pictures: what stands on screen as an SVG of its own, measured from the browser's own layout: every script, every direction.
import { COLORS } from './colors.js';
import { make } from './dom.js';
import { bandsOf, paintTokens, partsOf, RIGHT_TO_LEFT } from './paint.js';

const FONT = "'Source Code Pro', ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const FONTS = ['Source Sans', 'Source Code Pro']; // that the page brings along
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
  shapes.push(...bandShapes(element, palette, box));
  if (element.matches('.unseen, .bare:empty')) addName(element, box, runs);
  if (/\u200d/.test(element.textContent) && element.getClientRects().length === 1) addWhole(element, box, runs);
  else for (const node of textNodes(element)) addRuns(node, box, runs, element);
}

// The colours of a piece, a band each, with a tick where each begins.
function bandShapes(element, palette, box) {
  const { color: ink } = getComputedStyle(element), colors = bandsOf(element).map((color) => palette[color]), shapes = [];
  for (const rect of element.getClientRects()) {
    const x = rect.left - box.left, y = rect.top - box.top, width = rect.width / colors.length;
    colors.forEach((color, i) => {
      shapes.push(`<rect x="${round(x + i * width)}" y="${round(y)}" width="${round(width)}" height="${round(rect.height)}" fill="${escapeXml(color)}"/>`);
      shapes.push(`<path d="M${round(x + i * width)} ${round(y)}v${round(rect.height)}" stroke="${escapeXml(ink)}" stroke-opacity=".45"/>`);
    });
  }
  return shapes;
}

const HIDDEN = 'script, style, template, .live, [hidden]';

/** All that shows of `root` in the window as an SVG of 16 to 9: { svg, width, height }. */
export function pictureOf(root, paper) {
  const out = [], { innerWidth, innerHeight } = window, width = Math.max(innerWidth, Math.ceil((innerHeight * 16) / 9)), height = Math.ceil((width * 9) / 16);
  const box = { left: (innerWidth - width) / 2, top: 0 };
  drawAll(root, { left: 0, top: 0, right: innerWidth, bottom: innerHeight }, box, out);
  return {
    width, height,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
      + `<rect width="100%" height="100%" fill="${escapeXml(paper)}"/><g xml:space="preserve" style="white-space: pre">${out.join('')}</g></svg>`,
  };
}

function drawAll(element, clip, box, out) {
  const style = getComputedStyle(element), rect = element.getBoundingClientRect();
  if (element.matches(HIDDEN) || style.display === 'none' || style.visibility === 'hidden' || style.opacity === '0') return;
  if (style.display !== 'contents' && style.position !== 'absolute' && rect.width && !meets(rect, clip)) return;
  if (element.matches('svg')) return void out.push(placed(element, rect, box));
  if (element.matches('canvas')) return void out.push(`<image href="${element.toDataURL()}" x="${round(rect.left - box.left)}" y="${round(rect.top - box.top)}" width="${round(rect.width)}" height="${round(rect.height)}"/>`);
  out.push(...boxShapes(style, rect, box));
  if (element.matches('.tokens, .strip')) return void out.push(...tokenShapes(element, style, meet(rect, clip), box));
  const runs = [], inner = style.overflow === 'visible' ? clip : meet(rect, clip);
  for (const child of element.shadowRoot?.childNodes ?? element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) addRuns(child, box, runs, element);
    else if (child.nodeType === Node.ELEMENT_NODE) {
      out.push(...drawRuns(runs, style, inner, box));
      drawAll(child, inner, box, out);
    }
  }
  out.push(...drawRuns(runs, style, inner, box));
}

// Tokens together, so that the letters of several join.
function tokenShapes(view, style, clip, box) {
  const palette = Array.from({ length: COLORS }, (_, color) => resolved(view, `var(--tok-${color})`)), shapes = [], runs = [];
  for (const piece of view.querySelectorAll('.t, .gap')) if (meets(piece.getBoundingClientRect(), clip)) drawPiece(piece, palette, box, shapes, runs);
  return [...shapes, ...drawRuns(runs, style, clip, box, FONT)];
}

// What has come together so far, in the letters of their element; what is out of view is not there.
function drawRuns(runs, style, clip, box, family = style.fontFamily) {
  const size = parseFloat(style.fontSize), seen = runs.splice(0).filter((run) => {
    const y = run.y + run.height / 2 + box.top, x = (run.x + run.right) / 2 + box.left;
    return y > clip.top && y < clip.bottom && x > clip.left && x < clip.right;
  });
  const letters = `fill="${escapeXml(style.color)}" font-family="${escapeXml(family)}" font-weight="${style.fontWeight}"`;
  return seen.map((run) => `<g ${letters}>${drawRun(run, size)}</g>`);
}

function boxShapes(style, rect, box) {
  const x = round(rect.left - box.left), y = round(rect.top - box.top), shapes = [], border = parseFloat(style.borderTopWidth), isSeen = (color) => !/, 0\)$|\/ 0\)$/.test(color);
  const fill = isSeen(style.backgroundColor) ? style.backgroundColor : 'none', stroke = border && style.borderTopStyle !== 'none' && isSeen(style.borderTopColor) ? style.borderTopColor : 'none';
  if ((fill !== 'none' || stroke !== 'none') && rect.width && rect.height) {
    shapes.push(`<rect x="${x}" y="${y}" width="${round(rect.width)}" height="${round(rect.height)}" rx="${parseFloat(style.borderTopLeftRadius) || 0}" fill="${escapeXml(fill)}" stroke="${escapeXml(stroke)}" stroke-width="${border}"/>`);
  }
  return shapes;
}

// A chart is an SVG already: it is put where it stands.
function placed(element, rect, box) {
  const copy = element.cloneNode(true);
  for (const [name, value] of Object.entries({ x: rect.left - box.left, y: rect.top - box.top, width: rect.width, height: rect.height })) copy.setAttribute(name, round(value));
  return new XMLSerializer().serializeToString(copy);
}

const meets = (a, b) => a.right > b.left && a.left < b.right && a.bottom > b.top && a.top < b.bottom;
const meet = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });

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

// What joiners hold together, such as a family, is one run.
function addWhole(element, box, runs) {
  const { left, right, top, height } = element.getBoundingClientRect();
  runs.push({ text: element.textContent, x: left - box.left, right: right - box.left, y: top - box.top, height });
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
  return `<text xml:space="preserve" style="white-space: pre" ${place} y="${round(y + height / 2 + fontSize * size * 0.36)}" font-size="${round(fontSize * size)}" textLength="${round(right - x)}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
}

const round = (x) => Math.round(x * 100) / 100;

// XML has no way to write most control characters, not even as references.
export function escapeXml(text) {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The same with the fonts of the page in it, so that it looks the same anywhere. */
export async function withFonts(picture) {
  const faces = await Promise.all(fontFaces().map(faceOf));
  return { ...picture, svg: picture.svg.replace('>', `><style>${faces.join('')}</style>`) };
}

// The fonts that the page has by address, and uses.
function fontFaces() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => ({ rule, base: sheet.href ?? location.href })));
  const isUsed = ({ style }) => FONTS.includes(style.fontFamily.replaceAll('"', '')) && style.fontStyle !== 'italic';
  return rules.filter(({ rule }) => rule instanceof CSSFontFaceRule && isUsed(rule));
}

async function faceOf({ rule: { style }, base }) {
  const [, path] = /url\("([^"]+)"\)/.exec(style.getPropertyValue('src')) ?? [], answer = await fetch(new URL(path, base));
  const data = new Uint8Array(await answer.arrayBuffer()), text = Array.from(data, (byte) => String.fromCharCode(byte)).join('');
  return `@font-face{font-family:${style.fontFamily};font-weight:${style.fontWeight};src:url(data:font/woff2;base64,${btoa(text)})}`;
}

/** A picture as a PNG of at least Full HD. */
export async function asPng({ svg, width, height }) {
  const image = new Image(), canvas = make('canvas'), scale = Math.max(1, 1920 / width);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); });
}
