// The phone page of a class: polls the teacher's step, shows it, and sends guesses. Written for old browsers.
'use strict';

const PATIENCE = 40000;         // ms until a question without an answer is asked again
const FIRST = 1000, MOST = 8000; // ms between retries while the server is away
const KEY = 'tokenloupe.class';
const MOST_NUMBER = 100000;
const LONGEST = 200;            // characters of a text

const words = JSON.parse(document.body.dataset.words), language = document.documentElement.lang;
const code = (location.pathname.split('/')[2] || '').toUpperCase();
const $ = (id) => document.getElementById(id);
const fill = (sentence, facts) => sentence.replace(/{(\w+)}/g, (whole, name) => (name in facts ? facts[name] : whole));
const jitter = (ms) => ms * (0.5 + Math.random());

// ---- stored on the phone: its id in this class, its guesses and texts, its place ----

const tab = String(Math.random()).slice(2); // two tabs of one phone are one learner but poll separately
const kept = Object.assign({ code, me: '', guesses: {}, told: {}, rounds: {}, texts: {}, at: {}, moved: {} }, before());

function before() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    return found && found.code === code ? found : null;
  } catch (_) {
    return null;
  }
}

function keep() {
  let isKept = true;
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch (_) {
    isKept = false;
    removeKept(); // older guesses must not return
  }
  $('unkept').textContent = isKept ? '' : words.unkept;
}

function removeKept() {
  try {
    localStorage.removeItem(KEY);
  } catch (_) {
    // storage is blocked, so nothing is stored
  }
}

// ---- requests ----

function post(what, body, signal) {
  const headers = { 'content-type': 'application/json' };
  return fetch(`/class/${code}/${what}`, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

let refused = ''; // an id that the server rejected

/** Gets an id for this phone if it has none; resolves to the status. */
async function join(signal) {
  const { me } = before() || {}; // another tab may have an id
  if (!kept.me && me !== refused) kept.me = me;
  if (kept.me) return 200;
  const reply = await post('join', {}, signal);
  if (reply.status === 200) kept.me = kept.me || (await reply.json()).me;
  keep();
  return reply.status;
}

/** Drops an id that the server rejected because the teacher has emptied the class. */
function forget(me) {
  refused = me;
  if (kept.me === me) kept.me = '';
}

let scene = null, waking = null, asked = 0, rest = null;

async function listen() {
  for (let tries = 0; ;) {
    waking = new AbortController();
    asked = Date.now();
    const timer = setTimeout(() => waking.abort(), PATIENCE), { signal } = waking;
    let status = 0, found = null;
    try {
      status = await join(signal);
      if (status === 200) {
        const { me } = kept, query = new URLSearchParams({ me, tab, lang: language });
        if (scene) query.set('have', scene.version);
        if (scene && !scene.together) query.set('at', at());
        const reply = await fetch(`/class/${code}/state?${query}`, { signal, cache: 'no-store' });
        status = reply.status;
        if (status === 200) found = await reply.json();
        if (status === 401) forget(me);
      }
    } catch (_) {
      status = 0;
    }
    clearTimeout(timer);
    if (found && found.over) return over();
    if (found) take(found);
    $('enter').hidden = status !== 404 || Boolean(scene);
    const isHeard = status === 200 || status === 204;
    tries = isHeard || waking.isWoken ? 0 : tries + 1;
    if (isHeard) say('');
    else if (status === 404 && !scene) say(fill(words.unknown, { code }));
    else if (status === 429) say(words.full);
    else if (status !== 401 && !waking.isWoken) say(words.waiting);
    // too many phones are polling
    if (status === 204 && Date.now() - asked < FIRST && !waking.isWoken) await pause(jitter(MOST));
    await pause(isHeard || waking.isWoken ? jitter(60) : jitter(Math.min(MOST, FIRST * 1.6 ** tries)));
  }
}

const pause = (ms) => new Promise((go) => { rest = go; setTimeout(go, ms); });

/** Polls at once, after the phone has slept or is online again. */
function wake() {
  if (document.hidden || Date.now() - asked < 1000) return;
  if (waking) {
    waking.isWoken = true;
    waking.abort();
  }
  if (rest) rest();
}

function say(text) {
  if ($('status').textContent !== text) $('status').textContent = text;
}

function over() {
  scene = null;
  for (const name of ['where', 'question', 'text', 'ask', 'feedback', 'revealed']) $(name).textContent = '';
  $('send').hidden = $('turn').hidden = true;
  $('question').textContent = words.over;
  say('');
}

/** Runs `does` with a signal that aborts it after PATIENCE ms; resolves to its result, or null on failure. */
async function limited(does) {
  const ender = new AbortController(), timer = setTimeout(() => ender.abort(), PATIENCE);
  try {
    return await does(ender.signal);
  } catch (_) {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Sends something until it is accepted or rejected; resolves to whether it was accepted. */
async function tell(what, body) {
  for (let tries = 0; ; tries += 1) {
    const { me } = kept, reply = me ? await limited((signal) => post(what, Object.assign({ me }, body), signal)) : null;
    const status = reply ? reply.status : 0;
    if (status === 204) return true;
    if (status === 401) forget(me);
    else if (status >= 200 && status < 500 && status !== 404 && status !== 429) return false;
    await new Promise((go) => setTimeout(go, jitter(Math.min(MOST, FIRST * 1.6 ** tries))));
  }
}

// ---- the teacher's scene ----

function take(found) {
  const isBack = scene && scene.epoch !== found.epoch;
  scene = found;
  say('');
  if (found.together) startRound(found);
  if (found.together) show(found);
  else turn(at());
  sendAgain(found, isBack);
}

/** Drops the answers to a step that the teacher asks again; a restarted server counts from 0. */
function startRound({ lesson, id, epoch, round }) {
  const key = `${lesson}/${id}`, now = `${epoch} ${round}`, last = kept.rounds[key] || now;
  if (last !== now && last.split(' ')[0] === epoch) {
    for (const one of ['guesses', 'told', 'texts']) delete kept[one][key];
    drawn = '';
  }
  kept.rounds[key] = now;
  keep();
}

/** Sends the stored answers again to a server that may have lost them. */
async function sendAgain(found, isBack) {
  if (isBack) await new Promise((go) => setTimeout(go, jitter(700)));
  const own = found.together
    ? [`${found.lesson}/${found.id}`]
    : Object.keys(kept.guesses).filter((key) => key.split('/')[0] === found.lesson);
  for (const key of own)
    if (key in kept.guesses && (kept.told[key] || '').split(' ')[0] !== found.epoch) await deliver(key);
  const { texts = [], epoch } = kept.texts[own[0]] || {};
  if (!found.together || epoch === found.epoch) return;
  for (const text of texts) await sendText(found, text);
}

// ---- self-paced mode ----

const at = () => Math.min(kept.at[scene.lesson] || 0, scene.of - 1);
let asking = 0;

async function turn(to) {
  kept.at[scene.lesson] = to;
  keep();
  const mine = (asking += 1);
  const { lesson } = scene;
  const moved = kept.moved[`${lesson}/${to}`];
  const query = new URLSearchParams({ lang: language });
  if (moved !== undefined) query.set('moved', moved);
  for (let tries = 0; mine === asking; tries += 1) {
    const found = await limited(async (signal) => {
      const reply = await fetch(`/class/${code}/steps/${to}?${query}`, { signal });
      return reply.ok ? reply.json() : null;
    });
    if (mine !== asking || !scene || scene.together || scene.lesson !== lesson) return;
    if (found) return show(found);
    await new Promise((go) => setTimeout(go, jitter(Math.min(MOST, FIRST * 1.6 ** tries))));
  }
}

function go(to) {
  turn(to);
  asked = 0;
  wake(); // updates the teacher's count, too
  scrollTo(0, 0);
}

// ---- drawing a step ----

let step = null, drawn = '';

/** Draws a step, unless it is already shown: typed text stays. */
function show(found) {
  const key = JSON.stringify([found.lesson, found.id, scene.together, found.revealed]);
  if (key === drawn) return;
  const isOther = !step || step.lesson !== found.lesson || step.id !== found.id;
  step = found;
  drawn = key;
  $('where').textContent = found.where;
  $('question').textContent = found.question;
  $('text').textContent = found.ask === 'cuts' && !isOver() ? '' : found.text;
  if (isOther) {
    $('send').hidden = true;
    $('send').textContent = '';
  }
  draw();
}

const name = () => `${step.lesson}/${step.id}`;
const guess = () => kept.guesses[name()];
/** Whether the step is finished: revealed in class, or guessed in self-paced mode. */
const isOver = () => Boolean(step.revealed) && (scene.together || guess() !== undefined);

function draw() {
  const done = isOver();
  $('ask').textContent = '';
  if (!done) ask();
  if (done) $('text').textContent = step.text;
  $('feedback').className = '';
  $('feedback').textContent = done ? '' : howItStands();
  $('revealed').textContent = '';
  if (done) reveal(step.revealed);
  turns();
}

/** The line under an open question. */
function howItStands() {
  if (kept.told[name()] === scene.epoch) return words.sent;
  if (guess() !== undefined) return words.sending;
  return step.round ? words.anew : '';
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

function makeButton(text, className, does) {
  const button = make('button', className, text);
  button.type = 'button';
  button.addEventListener('click', () => does(button));
  return button;
}

function ask() {
  if (step.ask === 'choice') choose();
  else if (step.ask === 'number') number();
  else if (step.ask === 'cuts') cut();
}

function choose() {
  const group = make('div', 'choices');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', words.guess_choice);
  for (const [option, label] of step.options) {
    const button = makeButton(label, '', () => {
      for (const one of Array.from(group.children)) one.setAttribute('aria-pressed', String(one === button));
      answer(option);
    });
    button.setAttribute('aria-pressed', String(guess() === option));
    group.append(button);
  }
  $('ask').append(group);
}

function number() {
  const form = make('form', 'line'), box = make('input');
  Object.assign(box, {
    type: 'text', inputMode: 'numeric', maxLength: 7, value: guess() === undefined ? '' : guess(),
    autocomplete: 'off',
  });
  box.setAttribute('aria-label', words.guess_number);
  form.append(box, make('button', 'go', words.answer));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const typed = box.value.replace(/[,.\s]/g, '').replace(/[๐-๙]/g, (digit) => '๐๑๒๓๔๕๖๗๘๙'.indexOf(digit));
    if (/^\d+$/.test(typed) && Number(typed) <= MOST_NUMBER) answer(Number(typed));
    else $('feedback').textContent = words.no_number;
  });
  $('ask').append(form);
}

function cut() {
  const characters = Array.from(step.text), word = make('p', 'word'), before = guess() || [];
  word.setAttribute('role', 'group');
  word.setAttribute('aria-label', step.text);
  characters.forEach((character, i) => {
    if (i) {
      const gap = makeButton('', 'gap', () =>
        gap.setAttribute('aria-pressed', String(gap.getAttribute('aria-pressed') !== 'true')),
      );
      gap.setAttribute('aria-label', fill(words.gap, { before: characters[i - 1], after: character }));
      gap.setAttribute('aria-pressed', String(before.indexOf(i) >= 0));
      gap.dataset.at = i;
      word.append(gap);
    }
    word.append(character);
  });
  const places = () => Array.from(word.querySelectorAll('.gap[aria-pressed="true"]'), (gap) => Number(gap.dataset.at));
  $('ask').append(make('p', 'hint', words.guess_cuts), word, makeButton(words.answer, 'go', () => answer(places())));
}

function answer(value) {
  kept.guesses[name()] = value;
  delete kept.told[name()];
  keep();
  if (isOver()) draw();
  else $('feedback').textContent = words.sending;
  deliver(name());
}

const sending = {}; // by step: whether a guess is being sent

// Sends guesses one after the other: a delayed guess would overwrite a later one.
async function deliver(key) {
  if (sending[key] || !scene) return;
  sending[key] = true;
  const { epoch } = scene, [lesson, id] = key.split('/');
  let sent, isTaken;
  do {
    sent = JSON.stringify(kept.guesses[key]);
    isTaken = await tell('guess', { lesson, id, guess: kept.guesses[key] });
  } while (key in kept.guesses && sent !== JSON.stringify(kept.guesses[key]));
  sending[key] = false;
  if (!(key in kept.guesses)) return; // the teacher asks the step again
  kept.told[key] = isTaken ? epoch : `${epoch} late`;
  keep();
  if (step && key === name() && !isOver()) $('feedback').textContent = isTaken ? words.sent : words.late;
}

// ---- results ----

function reveal(found) {
  const own = guess();
  const isRight = JSON.stringify(own) === JSON.stringify(found.right);
  const facts = { answer: found.answer, guess: own === undefined ? '' : inWords(own) };
  $('feedback').className = isRight ? 'right' : '';
  $('feedback').textContent =
    own === undefined
      ? fill(words.answer_is, facts)
      : isRight
        ? `✓ ${fill(words.right, facts)}`
        : fill(words.wrong, facts);
  const place = $('revealed'), take = make('p', 'take');
  if (found.own !== null) {
    place.append(make('p', 'hint', words.own_text), make('p', 'own', found.own));
    place.lastChild.dir = 'auto';
  }
  if (found.slider) place.append(...slide(found.slider));
  place.append(...asNodes(found.html), make('p', 'said', found.said));
  take.append(make('b', '', words.take), found.take);
  place.append(take);
  for (const list of place.querySelectorAll('.learn-merges')) stepThrough(list);
  if (found.takes_texts && scene.together) offer();
}

/** Converts the server's HTML to elements. The page's policy forbids inline styles, so they are set here. */
function asNodes(html) {
  const { body } = new DOMParser().parseFromString(html.replace(/ style="/g, ' data-style="'), 'text/html');
  const place = make('div');
  place.append(...Array.from(body.childNodes, (node) => document.importNode(node, true)));
  for (const one of place.querySelectorAll('[data-style]')) one.style.cssText = one.dataset.style;
  return Array.from(place.childNodes);
}

function inWords(value) {
  if (step.ask === 'choice') return (step.options.find(([option]) => option === value) || [value, value])[1];
  if (step.ask === 'number') return grouped(value);
  const characters = Array.from(step.text), ends = value.concat(characters.length);
  return value.length
    ? ends.map((end, i) => characters.slice(i ? ends[i - 1] : 0, end).join('')).join(' | ')
    : words.no_cuts;
}

const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** The slider of a step in self-paced mode. */
function slide({ label, least, most, by, stands }) {
  const line = make('label', 'hint', `${label}: `), value = make('b', '', grouped(stands)), box = make('input');
  Object.assign(box, { id: 'slide', type: 'range', min: least, max: most, step: by });
  box.value = stands;
  line.htmlFor = box.id;
  line.append(value);
  box.addEventListener('input', () => { value.textContent = grouped(box.value); });
  box.addEventListener('change', async () => {
    kept.moved[`${scene.lesson}/${at()}`] = Number(box.value);
    await turn(at());
    if ($('slide')) $('slide').focus();
  });
  return [line, box];
}

function stepThrough(list) {
  const states = Array.from(list.children), first = Math.max(0, states.findIndex((one) => 'first' in one.dataset));
  const slider = Object.assign(make('input'), { type: 'range', min: 0, max: states.length - 1, value: first });
  const showOne = () => states.forEach((one, i) => { one.hidden = i !== Number(slider.value); });
  slider.setAttribute('aria-label', words.merge);
  slider.addEventListener('input', showOne);
  slider.max = states.length - 1;
  slider.value = first;
  if (states.length > 1) list.before(slider);
  showOne();
}

function offer() {
  const form = $('send');
  form.hidden = false;
  if (form.firstChild) return;
  const label = make('label', '', words.own), box = make('input'), line = make('div', 'line'), told = make('p', 'hint');
  Object.assign(box, { type: 'text', id: 'own', autocomplete: 'off' });
  box.addEventListener('input', ({ isComposing }) => { // maxLength would count an emoji twice
    const characters = Array.from(box.value);
    if (!isComposing && characters.length > LONGEST) box.value = characters.slice(0, LONGEST).join('');
  });
  label.htmlFor = 'own';
  told.setAttribute('role', 'status');
  line.append(box, make('button', 'go', words.send));
  form.append(label, line, told);
  form.onsubmit = async (event) => {
    event.preventDefault();
    const text = Array.from(box.value.trim()).slice(0, LONGEST).join('');
    if (!text) return;
    told.textContent = words.sending;
    const isTaken = await sendText(step, text);
    told.textContent = isTaken ? words.text_sent : words.text_refused;
    if (isTaken && box.value.trim() === text) box.value = '';
  };
}

/** Sends a text for a step, and stores it in case the server loses it. */
async function sendText({ lesson, id }, text) {
  const isTaken = await tell('text', { lesson, id, text });
  const key = `${lesson}/${id}`, { texts = [] } = kept.texts[key] || {};
  if (isTaken && scene)
    kept.texts[key] = { texts: texts.filter((one) => one !== text).concat(text), epoch: scene.epoch };
  keep();
  return isTaken;
}

function turns() {
  const place = $('turn');
  place.hidden = scene.together;
  place.textContent = '';
  if (scene.together) return;
  const back = makeButton(words.back, '', () => go(at() - 1)), next = makeButton(words.next, 'go', () => go(at() + 1));
  back.disabled = at() === 0;
  next.disabled = at() + 1 >= scene.of;
  place.append(back, next);
}

// ---- start ----

if (code) {
  $('code').textContent = code;
  keep();
  for (const kind of ['visibilitychange', 'pageshow', 'online', 'focus']) addEventListener(kind, wake);
  document.addEventListener('visibilitychange', wake);
  listen();
}
