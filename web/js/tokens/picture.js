// Draws what is on screen as SVG, by the browser's own layout, so that every script and direction is right.
import { COLORS } from './colors.js';
import { escapeXml, make, withTimeout } from '../dom/elements.js';
import { leavesSpaceBehind } from './line-ends.js';
import { bandsOf, paintTokens, partsOf, RIGHT_TO_LEFT } from './paint.js';

const FONT = "'Source Code Pro', ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const FONTS = ['Source Sans', 'Source Code Pro']; // fonts that the page loads
const MAX_TOKENS = 5000;
const PADDING_PX = 16;
const FONT_TIMEOUT_MS = 10_000;
const DRAW_TIMEOUT_MS = 20_000;

/** Returns { svg, left } of a document; `left` counts the tokens that did not fit. `frame` is an empty element
 *  styled as the token view. */
export function drawSvg(chunks, frame, paintOptions) {
  const line = frame.appendChild(make('div', 'line')); // each of its lines has its own direction, as on screen
  let budget = MAX_TOKENS, left = 0;
  for (const chunk of chunks) {
    if (budget <= 0) { left += chunk.ids.length; continue; }
    for (const part of partsOf(chunk)) {
      if (budget <= 0) { left += part.to - part.from; continue; }
      budget -= part.to - part.from;
      line.append(paintTokens(chunk, part.pieces, part.from, part.to, paintOptions).fragment);
    }
  }
  const style = getComputedStyle(frame), box = frame.getBoundingClientRect();
  const palette = paletteOf(frame), shapes = [], runs = [];
  for (const element of line.children) drawPiece(element, palette, box, shapes, runs);
  const width = Math.ceil(box.width + 2 * PADDING_PX), height = Math.ceil(box.height + 2 * PADDING_PX);
  const ink = escapeXml(style.color), fontSize = parseFloat(style.fontSize);
  const texts = runs.map((run) => drawRun(run, fontSize)).join('');
  const paper = escapeXml(resolveColor(frame, 'var(--paper)'));
  return {
    left,
    svg:
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="${-PADDING_PX} ${-PADDING_PX} ${width} ${height}">` +
      `<rect x="${-PADDING_PX}" y="${-PADDING_PX}" width="100%" height="100%" fill="${paper}"/>${shapes.join('')}` +
      `<g fill="${ink}" font-family="${escapeXml(FONT)}" font-size="${fontSize}" xml:space="preserve">` +
      `${texts}</g></svg>`,
  };
}

function drawPiece(element, palette, box, shapes, runs) {
  shapes.push(...bandShapes(element, palette, box));
  if (element.matches('.newest')) shapes.push(...newestShapes(element, box));
  if (element.matches('.unseen, .bare:empty')) addName(element, box, runs);
  if (/\u200d/.test(element.textContent) && element.getClientRects().length === 1) addWholeRun(element, box, runs);
  else for (const node of textNodes(element)) addRuns(node, box, runs, element);
}

// The colors of a piece as bands, with a tick where each begins.
function bandShapes(element, palette, box) {
  const { color: ink } = getComputedStyle(element);
  const colors = bandsOf(element).map((color) => palette[color]);
  const shapes = [];
  for (const rect of Array.from(element.getClientRects()).slice(leavesSpaceBehind(element) ? 1 : 0)) {
    const width = rect.width / colors.length, y = round(rect.top - box.top), height = round(rect.height);
    colors.forEach((color, i) => {
      const x = round(rect.left - box.left + i * width), fill = escapeXml(color);
      shapes.push(`<rect x="${x}" y="${y}" width="${round(width)}" height="${height}" fill="${fill}"/>`);
      shapes.push(`<path d="M${x} ${y}v${height}" stroke="${escapeXml(ink)}" stroke-opacity=".45"/>`);
    });
  }
  return shapes;
}

// Marks the newest token: a thin line above, a thick one below.
function newestShapes(element, box) {
  const { color, fontSize } = getComputedStyle(element), thin = parseFloat(fontSize) / 8;
  return Array.from(element.getClientRects()).flatMap(({ left, top, bottom, width }) => {
    const line = (y, height) => rectShape(left - box.left, y - box.top, width, height, fillOf(color));
    return [line(top - thin, thin), line(bottom, 2 * thin)];
  });
}

const HIDDEN_ELEMENTS = 'script, style, template, .live, [hidden]';

/** Returns what is visible of `root` in the window as a 16:9 SVG: { svg, width, height }. */
export function pictureOf(root, paper) {
  const out = [];
  const { innerWidth, innerHeight } = window;
  const width = Math.max(innerWidth, Math.ceil((innerHeight * 16) / 9));
  const height = Math.ceil((width * 9) / 16);
  const box = { left: (innerWidth - width) / 2, top: 0 };
  drawAll(root, { left: 0, top: 0, right: innerWidth, bottom: innerHeight }, box, out);
  return {
    width,
    height,
    svg:
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
      `<rect width="100%" height="100%" fill="${escapeXml(paper)}"/>` +
      `<g xml:space="preserve" style="white-space: pre">${out.join('')}</g></svg>`,
  };
}

function drawAll(element, clip, box, out) {
  const style = getComputedStyle(element), rect = element.getBoundingClientRect();
  if (element.matches(HIDDEN_ELEMENTS) || style.display === 'none') return;
  if (style.visibility === 'hidden' || style.opacity === '0') return;
  if (style.display !== 'contents' && style.position !== 'absolute' && rect.width && !intersects(rect, clip)) return;
  if (element.matches('svg')) return void out.push(positionedSvg(element, rect, box));
  if (element.matches('canvas')) {
    const x = round(rect.left - box.left), y = round(rect.top - box.top);
    const size = `width="${round(rect.width)}" height="${round(rect.height)}"`;
    return void out.push(`<image href="${element.toDataURL()}" x="${x}" y="${y}" ${size}/>`);
  }
  out.push(...boxShapes(style, rect, box));
  const common = intersection(rect, clip);
  if (element.matches('.tokens, .strip')) return void out.push(...tokenShapes(element, style, common, box));
  const runs = [], inner = style.overflow === 'visible' ? clip : common;
  for (const child of element.shadowRoot?.childNodes ?? element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) addRuns(child, box, runs, element);
    else if (child.nodeType === Node.ELEMENT_NODE) {
      out.push(...drawRuns(runs, style, inner, box));
      drawAll(child, inner, box, out);
    }
  }
  out.push(...drawRuns(runs, style, inner, box));
}

// Draws all tokens of a view as one group, so that letters of adjacent tokens join.
function tokenShapes(view, style, clip, box) {
  const palette = paletteOf(view), shapes = [], runs = [];
  for (const piece of view.querySelectorAll('.t, .gap'))
    if (intersects(piece.getBoundingClientRect(), clip)) drawPiece(piece, palette, box, shapes, runs);
  return [...shapes, ...drawRuns(runs, style, clip, box, FONT)];
}

// Draws and empties the collected runs in the style of their element; runs out of view are dropped.
function drawRuns(runs, style, clip, box, family = style.fontFamily) {
  const size = parseFloat(style.fontSize), seen = runs.splice(0).filter((run) => {
    const y = run.y + run.height / 2 + box.top, x = (run.x + run.right) / 2 + box.left;
    return y > clip.top && y < clip.bottom && x > clip.left && x < clip.right;
  });
  const ink = escapeXml(style.color), font = `font-family="${escapeXml(family)}" font-weight="${style.fontWeight}"`;
  return seen.map((run) => `<g fill="${ink}" ${font}>${drawRun(run, size)}</g>`);
}

const SIDES = ['Top', 'Right', 'Bottom', 'Left'];
const ONE_COLOR_GRADIENT = /^linear-gradient\(((?:[a-z-]+\([^)]*\)|#\w+)) 0/; // draws the bar of a table row

// Returns an element's background, a bar in it, and its border: one outline, or a line per side.
function boxShapes(style, { left, top, width, height }, box) {
  const x = left - box.left, y = top - box.top, out = [], radius = parseFloat(style.borderTopLeftRadius) || 0;
  if (!width || !height) return out;
  if (isVisible(style.backgroundColor)) out.push(rectShape(x, y, width, height, fillOf(style.backgroundColor), radius));
  const bar = ONE_COLOR_GRADIENT.exec(style.backgroundImage)?.[1];
  const percent = parseFloat(/[\d.]+(?=%)/.exec(style.backgroundSize)?.[0] ?? 100);
  if (bar) out.push(rectShape(x, y, (width * percent) / 100, height, fillOf(bar)));
  const sides = SIDES.map((side) => ({
    size: parseFloat(style[`border${side}Width`]) || 0, color: style[`border${side}Color`],
    how: style[`border${side}Style`],
  })).map((one) => (one.how !== 'none' && isVisible(one.color) ? one : { ...one, size: 0 }));
  const [first] = sides, { size } = first;
  if (size && sides.every((one) => one.size === size && one.color === first.color && one.how === first.how)) {
    const dash = { dashed: 3 * size, dotted: size }[first.how];
    const dashes = dash ? ` stroke-dasharray="${dash} ${dash}"` : '';
    const paint = `fill="none" ${strokeOf(first.color, size)}${dashes}`;
    return [...out, rectShape(x + size / 2, y + size / 2, width - size, height - size, paint, radius)];
  }
  const [above, right, below, before] = sides.map((one) => one.size);
  const lines = [
    [x, y, width, above], [x + width - right, y, right, height], [x, y + height - below, width, below],
    [x, y, before, height],
  ];
  lines.forEach((line, i) => { if (sides[i].size) out.push(rectShape(...line, fillOf(sides[i].color))); });
  return out;
}

function rectShape(x, y, width, height, paint, radius = 0) {
  const size = `width="${round(Math.max(0, width))}" height="${round(Math.max(0, height))}"`;
  const rx = Math.max(0, Math.min(radius, width / 2, height / 2)); // rx and ry are limited one by one: an ellipse
  return `<rect x="${round(x)}" y="${round(y)}" ${size} rx="${round(rx)}" ${paint}/>`;
}

const isVisible = (color) => color !== 'none' && toRgb(color).alpha > 0;
const fillOf = (color) => `fill="${toRgb(color).color}" fill-opacity="${toRgb(color).alpha}"`;
const strokeOf = (color, width) =>
  `stroke="${toRgb(color).color}" stroke-opacity="${toRgb(color).alpha}" stroke-width="${width}"`;

// Converts a color to rgb: SVG viewers do not know all of CSS's notations.
function toRgb(color) {
  if (rgbCache.has(color)) return rgbCache.get(color);
  const brush = make('canvas').getContext('2d');
  brush.fillStyle = color;
  brush.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
  rgbCache.set(color, { color: `rgb(${red}, ${green}, ${blue})`, alpha: round(alpha / 255) });
  return rgbCache.get(color);
}

const rgbCache = new Map();

// A chart is an SVG already: its copy gets the computed style and the place on the page.
function positionedSvg(element, rect, box) {
  const copy = element.cloneNode(true);
  const own = [element, ...element.querySelectorAll('*')];
  const copies = [copy, ...copy.querySelectorAll('*')];
  own.forEach((one, i) => copyStyle(copies[i], getComputedStyle(one)));
  const place = { x: rect.left - box.left, y: rect.top - box.top, width: rect.width, height: rect.height };
  for (const [name, value] of Object.entries(place)) copy.setAttribute(name, round(value));
  return new XMLSerializer().serializeToString(copy);
}

function copyStyle(copy, style) {
  for (const name of ['fill', 'stroke']) {
    const color = style[name], isPlain = /^(rgb|color|#|ok|lab|lch|hsl)/.test(color);
    if (!isPlain) { copy.setAttribute(name, color); continue; }
    copy.setAttribute(name, toRgb(color).color);
    copy.setAttribute(`${name}-opacity`, round(toRgb(color).alpha * style[`${name}Opacity`]));
  }
  for (const name of ['stroke-width', 'stroke-dasharray', 'vector-effect'])
    if (style[name] !== 'none') copy.setAttribute(name, style[name]);
  if (style.clipPath.startsWith('inset')) copy.setAttribute('style', `clip-path: ${style.clipPath}`);
}

const intersects = (a, b) => a.right > b.left && a.left < b.right && a.bottom > b.top && a.top < b.bottom;
const intersection = (a, b) => ({
  left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});

const paletteOf = (frame) => Array.from({ length: COLORS }, (_, color) => resolveColor(frame, `var(--tok-${color})`));

function resolveColor(frame, color) {
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

// An invisible token is drawn by its name, as on screen.
function addName(element, box, runs) {
  const rect = element.getBoundingClientRect();
  const text = element.dataset.m ?? Array.from(element.querySelectorAll('.z'), (sign) => sign.dataset.m).join(' ');
  runs.push({
    text, x: rect.left - box.left + 3, right: rect.right - box.left - 3, y: rect.top - box.top, height: rect.height,
    size: 0.6875,
  });
}

// An emoji sequence with joiners, such as a family, is one run.
function addWholeRun(element, box, runs) {
  const { left, right, top, height } = element.getBoundingClientRect();
  runs.push({ text: element.textContent, x: left - box.left, right: right - box.left, y: top - box.top, height });
}

// A piece is a run of text at its own place; adjacent pieces that are read from right to left are one run, so that
// letters join, and brackets are mirrored.
function addRuns(node, box, runs, element) {
  if (!node.data.trim() && !runs.at(-1)?.isRtl) return; // only its color is visible
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const { from, to, top, left, right, height } of fragmentsOf(node, range)) {
    const text = node.data.slice(from, to).replace(/[\n\r]/g, ''), isNeutral = !/[\p{L}\p{N}]/u.test(text);
    if (!text) continue;
    const run = { text, x: left - box.left, right: right - box.left, y: top - box.top, height, isNeutral };
    const previous = runs.at(-1), last = previous && Math.abs(previous.y - run.y) < 2 ? previous : null;
    const isLeftward = last && run.right <= last.x + 1;
    if (last?.isNeutral && last.isFirst) last.isRtl = isLeftward;
    run.isFirst = !last;
    run.isRtl = !element.classList.contains('room') && (isNeutral ? isLeftward : RIGHT_TO_LEFT.test(text));
    if (run.isRtl && isLeftward && last.isRtl) Object.assign(last, { text: last.text + text, x: run.x });
    else if (text.trim()) runs.push(run);
  }
}

// Splits a text node at the ends of lines and where its direction changes: { from, to } and the box of each part.
function fragmentsOf(node, range) {
  const boxes = Array.from(range.getClientRects()), found = [];
  if (boxes.length < 2) {
    const { left, right, top, height } = range.getBoundingClientRect();
    return [{ from: 0, to: node.data.length, left, right, top, height }];
  }
  for (let i = 0, to; i < node.data.length; i = to) {
    to = i + String.fromCodePoint(node.data.codePointAt(i)).length; // half an emoji would make the picture unreadable
    range.setStart(node, i);
    range.setEnd(node, to);
    const { left, right, top, width, height } = range.getBoundingClientRect(), last = found.at(-1);
    const middle = (left + right) / 2, isOwn = (one) => middle > one.left && middle < one.right;
    const own = width ? boxes.find((one) => Math.abs(one.top - top) < 2 && isOwn(one)) : last?.own;
    if (!last || (own && own !== last.own)) found.push({ from: i, to, left, right, top, height, own });
    else {
      last.to = to;
      if (width) Object.assign(last, { left: Math.min(last.left, left), right: Math.max(last.right, right) });
    }
  }
  return found;
}

function drawRun({ text, x, right, y, height, isRtl, size = 1 }, fontSize) {
  const place = isRtl ? `x="${round(right)}" direction="rtl"` : `x="${round(x)}"`;
  const baseline = round(y + height / 2 + fontSize * size * 0.36), length = round(right - x);
  return `<text xml:space="preserve" style="white-space: pre" ${place} y="${baseline}" `
    + `font-size="${round(fontSize * size)}" textLength="${length}" lengthAdjust="spacingAndGlyphs">`
    + `${escapeXml(text)}</text>`;
}

const round = (x) => Math.round(x * 100) / 100;

/** Embeds the page's fonts, so that the picture looks the same anywhere. */
export async function withFonts(picture) {
  const faces = await Promise.all(fontFaces().map(faceOf));
  return { ...picture, svg: picture.svg.replace('>', `><style>${faces.join('')}</style>`) };
}

function fontFaces() {
  const rules = [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].map((rule) => ({ rule, base: sheet.href ?? location.href })),
  );
  const isUsed = ({ style }) => FONTS.includes(style.fontFamily.replaceAll('"', '')) && style.fontStyle !== 'italic';
  return rules.filter(({ rule }) => rule instanceof CSSFontFaceRule && isUsed(rule));
}

async function faceOf({ rule: { style }, base }) {
  const [, path] = /url\("([^"]+)"\)/.exec(style.getPropertyValue('src')) ?? [];
  const answer = await fetch(new URL(path, base), { signal: AbortSignal.timeout(FONT_TIMEOUT_MS) });
  const data = new Uint8Array(await answer.arrayBuffer());
  const text = Array.from(data, (byte) => String.fromCharCode(byte)).join('');
  const { fontFamily, fontWeight } = style, source = `url(data:font/woff2;base64,${btoa(text)})`;
  return `@font-face{font-family:${fontFamily};font-weight:${fontWeight};src:${source}}`;
}

/** Renders a picture as a PNG that is at least 1920 pixels wide. */
export async function asPng({ svg, width, height }) {
  const image = new Image(), canvas = make('canvas'), scale = Math.max(1, 1920 / width);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await withTimeout(DRAW_TIMEOUT_MS, image.decode());
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return withTimeout(DRAW_TIMEOUT_MS, new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); }));
}
