// The phone page of a class: polls the teacher's step, shows it, and sends guesses. Written for old browsers.
'use strict';

const REQUEST_TIMEOUT_MS = 40000; // until an unanswered request is sent again
const MIN_RETRY_MS = 1000, MAX_RETRY_MS = 8000; // between retries while the server is away
const STORAGE_KEY = 'tokenloupe.class';
const MAX_GUESS = 100000; // as in server/classroom/rooms.py
const MAX_TEXT_CHARACTERS = 200;

const words = JSON.parse(document.body.dataset.words), language = document.documentElement.lang;
const { root } = document.body.dataset; // "/class", below the base path
const code = (location.pathname.slice(root.length).split('/')[1] || '').toUpperCase();
const $ = (id) => document.getElementById(id);
const fill = (sentence, facts) => sentence.replace(/{(\w+)}/g, (field, name) => (name in facts ? facts[name] : field));
const jitter = (ms) => ms * (0.5 + Math.random());
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const retryMs = (tries) => jitter(Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 1.6 ** tries));

// ---- stored on the phone: its id in this class, its guesses and texts, its place ----

const tab = String(Math.random()).slice(2); // two tabs of one phone are one learner but poll separately
// `received` has the epoch of the server that has received the guess, `counted` the last guess that was accepted,
// `at` the number of the step in each lesson, `moved` the value of a step's slider
const state = Object.assign(
  { code, me: '', guesses: {}, received: {}, counted: {}, rounds: {}, texts: {}, at: {}, moved: {} }, savedState(),
);

function savedState() {
  try {
    const found = JSON.parse(localStorage.getItem(STORAGE_KEY));
    const { told = {} } = found || {}; // the name of `received` in states that were stored before 2026-12
    return found && found.code === code ? Object.assign({ received: told }, found) : null;
  } catch (_) {
    return null;
  }
}

function saveState() {
  let isSaved = true;
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(state));
  } catch (_) {
    isSaved = false;
    removeSavedState(); // older guesses must not return
  }
  $('unkept').textContent = isSaved ? '' : words.unkept;
}

function removeSavedState() {
  try {
    localStorage.removeItem(STORAGE_KEY);
  } catch (_) {
    // storage is blocked, so nothing is stored
  }
}

// ---- requests ----

function post(what, body, signal) {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${root}/${code}/${what}`, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

let rejectedId = ''; // an id that the server rejected

/** Gets an id for this phone if it has none; resolves to the status. */
async function join(signal) {
  const { me } = savedState() || {}; // another tab may have an id
  if (!state.me && me !== rejectedId) state.me = me;
  if (state.me) return 200;
  const reply = await post('join', {}, signal);
  if (reply.status === 200) state.me = state.me || (await reply.json()).me;
  saveState();
  return reply.status;
}

/** Drops an id that the server rejected because the teacher has emptied the class. */
function forget(me) {
  rejectedId = me;
  if (state.me === me) state.me = '';
}

let scene = null, request = null, requestedAt = 0, endPause = null;

async function poll() {
  for (let tries = 0; ;) {
    request = new AbortController();
    requestedAt = Date.now();
    const timer = setTimeout(() => request.abort(), REQUEST_TIMEOUT_MS), { signal } = request;
    let status = 0, found = null, secondsLeft = NaN;
    try {
      status = await join(signal);
      if (status === 200) {
        const { me } = state, query = new URLSearchParams({ me, tab, lang: language });
        if (scene) query.set('have', scene.version);
        if (scene && !scene.together) query.set('at', at());
        const reply = await fetch(`${root}/${code}/state?${query}`, { signal, cache: 'no-store' });
        status = reply.status;
        if (status === 200) found = await reply.json();
        secondsLeft = parseFloat(reply.headers.get('x-seconds-left'));
        if (status === 401) forget(me);
      }
    } catch (_) {
      status = 0;
    }
    clearTimeout(timer);
    if (found && found.over) return showEnd();
    if (found) applyScene(found);
    if (found && found.game) runCountdown(secondsLeft);
    $('enter').hidden = status !== 404 || Boolean(scene);
    const isAnswered = status === 200 || status === 204;
    tries = isAnswered || request.isCancelled ? 0 : tries + 1;
    if (isAnswered) showStatus('');
    else if (status === 404 && !scene) showStatus(fill(words.unknown, { code }));
    else if (status === 429) showStatus(words.full);
    else if (status !== 401 && !request.isCancelled) showStatus(words.waiting);
    // too many phones are polling
    const isEarly = status === 204 && Date.now() - requestedAt < MIN_RETRY_MS;
    if (isEarly && !request.isCancelled) await pause(jitter(MAX_RETRY_MS));
    await pause(isAnswered || request.isCancelled ? jitter(60) : retryMs(tries));
  }
}

const pause = (ms) => new Promise((resolve) => { endPause = resolve; setTimeout(resolve, ms); });

/** Polls at once, after the phone has slept or is online again. */
function wake() {
  if (document.hidden || Date.now() - requestedAt < 1000) return;
  if (request) {
    request.isCancelled = true;
    request.abort();
  }
  if (endPause) endPause();
}

function showStatus(text) {
  if ($('status').textContent !== text) $('status').textContent = text;
}

function showEnd() {
  scene = null;
  const filled = ['where', 'question', 'text', 'ask', 'feedback', 'revealed', 'hint', 'score', 'countdown'];
  for (const id of filled) $(id).textContent = '';
  $('send').hidden = $('turn').hidden = true;
  $('question').textContent = words.over;
  showStatus('');
}

/** Runs `action` with a signal that aborts it after REQUEST_TIMEOUT_MS; resolves to its result, or null on failure. */
async function withTimeout(action) {
  const controller = new AbortController(), timer = setTimeout(() => controller.abort(), REQUEST_TIMEOUT_MS);
  try {
    return await action(controller.signal);
  } catch (_) {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Sends something until it is accepted or rejected; resolves to whether it was accepted. */
async function sendUntilAnswered(what, body) {
  for (let tries = 0; ; tries += 1) {
    const { me } = state, send = (signal) => post(what, Object.assign({ me }, body), signal);
    const reply = me ? await withTimeout(send) : null;
    const status = reply ? reply.status : 0;
    if (status === 204) return true;
    if (status === 401) forget(me);
    else if (status >= 200 && status < 500 && status !== 404 && status !== 429) return false;
    await delay(retryMs(tries));
  }
}

// ---- the teacher's scene ----

function applyScene(found) {
  const isNewServer = scene && scene.epoch !== found.epoch;
  scene = found;
  showStatus('');
  if (isNewServer && found.game) drawnKey = ''; // the links may contain another id
  if (found.together) startRound(found);
  if (found.together) show(found);
  else loadStep(at());
  resendAnswers(found, isNewServer);
}

/** Drops the answers to a step that the teacher asks again; a restarted server counts from 0. */
function startRound({ lesson, id, epoch, round }) {
  const key = `${lesson}/${id}`, current = `${epoch} ${round}`, last = state.rounds[key] || current;
  if (last !== current && last.split(' ')[0] === epoch) {
    for (const one of ['guesses', 'received', 'counted', 'texts']) delete state[one][key];
    if (textForms[key]) textForms[key].contents[2].textContent = '';
    drawnKey = '';
  }
  state.rounds[key] = current;
  saveState();
}

/** Sends the stored answers again to a server that may have lost them. */
async function resendAnswers(found, isNewServer) {
  if (isNewServer) await delay(jitter(700));
  const own = found.together
    ? [`${found.lesson}/${found.id}`]
    : Object.keys(state.guesses).filter((key) => key.split('/')[0] === found.lesson);
  for (const key of own) {
    const received = state.received[key] || '', isLate = received === `${found.epoch} late`;
    // a guess that came too late is in time if the teacher has opened the question again
    if (key in state.guesses && received !== found.epoch && !(isLate && found.revealed)) await deliver(key);
  }
  const textsKey = found.game ? `${found.lesson}/${found.game.id}` : own[0];
  const { texts = [], epoch } = state.texts[textsKey] || {};
  if (!found.together || epoch === found.epoch) return;
  // only the last text stores the new epoch, so that all are sent again after a reload before it
  for (let i = 0; i < texts.length; i += 1)
    if (await sendText(textsStep(found), texts[i], i < texts.length - 1 ? epoch : found.epoch) === null) return;
}

// ---- self-paced mode ----

const at = () => Math.min(state.at[scene.lesson] || 0, scene.of - 1);
let loadNumber = 0;

async function loadStep(to) {
  state.at[scene.lesson] = to;
  saveState();
  const own = (loadNumber += 1);
  const { lesson } = scene;
  const moved = state.moved[`${lesson}/${to}`];
  const query = new URLSearchParams({ lang: language });
  if (moved !== undefined) query.set('moved', moved);
  for (let tries = 0; own === loadNumber; tries += 1) {
    const found = await withTimeout(async (signal) => {
      const reply = await fetch(`${root}/${code}/steps/${to}?${query}`, { signal });
      return reply.ok ? reply.json() : null;
    });
    if (own !== loadNumber || !scene || scene.together || scene.lesson !== lesson) return;
    if (found) return show(found);
    await delay(retryMs(tries));
  }
}

function goToStep(to) {
  loadStep(to);
  requestedAt = 0;
  wake(); // updates the teacher's count, too
  scrollTo(0, 0);
}

// ---- drawing a step ----

let step = null, drawnKey = '';

/** Draws a step, unless it is already shown: typed text stays. */
function show(found) {
  const game = found.game && [found.game.phase, found.options];
  const key = JSON.stringify([found.lesson, found.id, scene.together, found.revealed, game]);
  if (game) { // a pause changes both, and draws nothing anew
    $('hint').textContent = found.game.hint;
    $('question').textContent = found.question;
  }
  if (key === drawnKey) return;
  const isOther = !step || step.lesson !== found.lesson || textsStep(step).id !== textsStep(found).id;
  step = found;
  drawnKey = key;
  $('where').textContent = found.where;
  $('question').textContent = found.question;
  $('text').textContent = found.ask === 'cuts' && !isOver() ? '' : found.text;
  if (isOther) {
    $('send').hidden = true;
    while ($('send').firstChild) $('send').removeChild($('send').firstChild); // `textForms` keeps the form
  }
  draw();
}

const stepKey = () => `${step.lesson}/${step.id}`;
const guess = () => state.guesses[stepKey()];
/** Whether the step is finished: revealed in class, or guessed in self-paced mode. */
const isOver = () => Boolean(step.revealed) && (scene.together || guess() !== undefined);

/** Whether texts can be sent to the stage. */
const takesTexts = () => isOver() && step.revealed.takes_texts && scene.together;

function draw() {
  const done = isOver();
  $('ask').textContent = '';
  if (done) $('text').textContent = step.text;
  else {
    drawAnswerForm();
    $('ask').append(...asNodes(step.sentences || ''));
  }
  $('feedback').className = '';
  $('feedback').textContent = done ? '' : sendStatus();
  $('revealed').textContent = '';
  if (!step.game && !takesTexts()) $('send').hidden = true; // the question is asked again, or each phone is alone
  if (done) reveal(step.revealed);
  drawGame();
  drawNavigation();
}

/** Returns the line under an open question. */
function sendStatus() {
  if (step.game && !step.ask) return '';
  if (state.received[stepKey()] === scene.epoch) return words.sent;
  if (guess() !== undefined) return words.sending;
  return step.round ? words.anew : '';
}

function makeElement(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

function makeButton(text, className, action) {
  const button = makeElement('button', className, text);
  button.type = 'button';
  button.addEventListener('click', () => action(button));
  return button;
}

function drawAnswerForm() {
  if (step.ask === 'choice') drawChoices();
  else if (step.ask === 'number') drawNumberField();
  else if (step.ask === 'cuts') drawCuts();
}

function drawChoices() {
  const group = makeElement('div', 'choices');
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

function drawNumberField() {
  const form = makeElement('form', 'line'), box = makeElement('input');
  Object.assign(box, {
    type: 'text', inputMode: 'numeric', maxLength: 7, value: guess() === undefined ? '' : guess(),
    autocomplete: 'off',
  });
  box.setAttribute('aria-label', words.guess_number);
  form.append(box, makeElement('button', 'go', words.answer));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const typed = box.value.trim().replace(/[๐-๙]/g, (digit) => '๐๑๒๓๔๕๖๗๘๙'.indexOf(digit));
    const number = /^[1-9]\d{0,2}([,.\s]\d{3})+$/.test(typed) ? typed.replace(/\D/g, '') : typed; // "1,234", not 2.5
    if (/^\d+$/.test(number) && Number(number) <= MAX_GUESS) answer(Number(number));
    else $('feedback').textContent = words.no_number;
  });
  $('ask').append(form);
}

function drawCuts() {
  const characters = Array.from(step.text), word = makeElement('p', 'word'), cuts = guess() || [];
  word.setAttribute('role', 'group');
  word.setAttribute('aria-label', step.text);
  characters.forEach((character, i) => {
    if (i) {
      const gap = makeButton('', 'gap', () =>
        gap.setAttribute('aria-pressed', String(gap.getAttribute('aria-pressed') !== 'true')),
      );
      gap.setAttribute('aria-label', fill(words.gap, { before: characters[i - 1], after: character }));
      gap.setAttribute('aria-pressed', String(cuts.indexOf(i) >= 0));
      gap.dataset.at = i;
      word.append(gap);
    }
    word.append(character);
  });
  const places = () => Array.from(word.querySelectorAll('.gap[aria-pressed="true"]'), (gap) => Number(gap.dataset.at));
  const button = makeButton(words.answer, 'go', () => answer(places()));
  $('ask').append(makeElement('p', 'hint', words.guess_cuts), word, button);
}

function answer(value) {
  state.guesses[stepKey()] = value;
  delete state.received[stepKey()];
  saveState();
  if (isOver()) draw();
  else $('feedback').textContent = words.sending;
  deliver(stepKey());
}

const sending = {}; // by step: whether a guess is being sent

// Sends guesses one after the other: a delayed guess would overwrite a later one.
async function deliver(key) {
  if (sending[key] || !scene) return;
  sending[key] = true;
  const { epoch } = scene, [lesson, id] = key.split('/');
  let sent, isAccepted;
  do {
    sent = JSON.stringify(state.guesses[key]);
    isAccepted = await sendUntilAnswered('guess', { lesson, id, guess: state.guesses[key] });
    if (isAccepted && key in state.guesses) state.counted[key] = JSON.parse(sent);
  } while (key in state.guesses && sent !== JSON.stringify(state.guesses[key]));
  sending[key] = false;
  if (!(key in state.guesses)) return; // the teacher asks the step again
  state.received[key] = isAccepted ? epoch : `${epoch} late`;
  saveState();
  if (step && step.game && isOver()) draw(); // the score
  if (step && key === stepKey() && !isOver()) $('feedback').textContent = isAccepted ? words.sent : words.late;
}

// ---- results ----

function reveal(found) {
  const own = step.game ? state.counted[stepKey()] : guess();
  const isRight = step.game ? found.rights.includes(own) : JSON.stringify(own) === JSON.stringify(found.right);
  const facts = { answer: found.answer, guess: own === undefined ? '' : describeAnswer(own) };
  $('feedback').className = isRight ? 'right' : '';
  $('feedback').textContent =
    own === undefined
      ? fill(words.answer_is, facts)
      : isRight
        ? `✓ ${fill(words.right, facts)}`
        : fill(words.wrong, facts);
  const place = $('revealed'), lesson = makeElement('p', 'take');
  if (found.own !== null) {
    place.append(makeElement('p', 'hint', words.own_text), makeElement('p', 'own', found.own));
    place.lastChild.dir = 'auto';
  }
  if (found.slider) place.append(...makeSlider(found.slider));
  place.append(...asNodes(found.html), makeElement('p', 'explanation', found.explanation));
  lesson.append(makeElement('b', '', words.take), found.take);
  if (found.take) place.append(lesson);
  for (const list of place.querySelectorAll('.learn-merges')) addStepSlider(list);
  if (takesTexts()) drawTextForm();
}

/** Converts the server's HTML to elements; the policy forbids inline styles, so they are set here. */
function asNodes(html) {
  const { body } = new DOMParser().parseFromString(html.replace(/ style="/g, ' data-style="'), 'text/html');
  const place = document.importNode(body, true);
  for (const one of place.querySelectorAll('[data-style]')) one.style.cssText = one.dataset.style;
  return Array.from(place.childNodes);
}

function describeAnswer(value) {
  if (step.ask === 'choice') return (step.options.find(([option]) => option === value) || [value, value])[1];
  if (step.ask === 'number') return grouped(value);
  const characters = Array.from(step.text), ends = value.concat(characters.length);
  return value.length
    ? ends.map((end, i) => characters.slice(i ? ends[i - 1] : 0, end).join('')).join(' | ')
    : words.no_cuts;
}

const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** Returns the slider of a step in self-paced mode, after its label. */
function makeSlider({ label, least, most, by, value }) {
  const line = makeElement('label', 'hint', `${label}: `), shown = makeElement('b', '', grouped(value));
  const box = makeElement('input');
  Object.assign(box, { id: 'slide', type: 'range', min: least, max: most, step: by });
  box.value = value;
  line.htmlFor = box.id;
  line.append(shown);
  box.addEventListener('input', () => { shown.textContent = grouped(box.value); });
  box.addEventListener('change', async () => {
    state.moved[`${scene.lesson}/${at()}`] = Number(box.value);
    await loadStep(at());
    if ($('slide')) $('slide').focus();
  });
  return [line, box];
}

/** Adds a slider that shows one item of a list at a time. */
function addStepSlider(list) {
  const states = Array.from(list.children), first = Math.max(0, states.findIndex((one) => 'first' in one.dataset));
  const slider = Object.assign(makeElement('input'), { type: 'range', min: 0, max: states.length - 1, value: first });
  const showOne = () => states.forEach((one, i) => { one.hidden = i !== Number(slider.value); });
  slider.setAttribute('aria-label', words.merge);
  slider.addEventListener('input', showOne);
  if (states.length > 1) list.before(slider);
  showOne();
}

const textForms = {}; // by the step that texts are for: contents with what was typed, and the function that sends it

function drawTextForm() {
  const form = $('send'), { lesson, id } = textsStep(step), key = `${lesson}/${id}`;
  form.hidden = false;
  if (form.firstChild) return;
  if (!textForms[key]) textForms[key] = makeTextForm();
  form.append(...textForms[key].contents);
  form.onsubmit = textForms[key].submit;
}

function makeTextForm() {
  const label = makeElement('label', '', step.game ? words.game_own : words.own), box = makeElement('input');
  const line = makeElement('div', 'line'), status = makeElement('p', 'hint');
  Object.assign(box, { type: 'text', id: 'own', autocomplete: 'off' });
  box.addEventListener('input', ({ isComposing }) => { // maxLength would count an emoji twice
    const characters = Array.from(box.value);
    if (isComposing || characters.length <= MAX_TEXT_CHARACTERS) return;
    box.value = characters.slice(0, MAX_TEXT_CHARACTERS).join('');
  });
  label.htmlFor = 'own';
  status.setAttribute('role', 'status');
  line.append(box, makeElement('button', 'go', words.send));
  const submit = async (event) => {
    event.preventDefault();
    const text = Array.from(box.value.trim()).slice(0, MAX_TEXT_CHARACTERS).join('');
    if (!text) return;
    status.textContent = words.sending;
    const { game } = step;
    const isAccepted = await sendText(textsStep(step), text);
    if (isAccepted === null) return;
    if (game) status.textContent = isAccepted ? words.sentence_sent : words.sentence_refused;
    else status.textContent = isAccepted ? words.text_sent : words.text_refused;
    if (game && isAccepted) draw();
    if (isAccepted && box.value.trim() === text) box.value = '';
  };
  return { contents: [label, line, status], submit };
}

/** Sends a text, and stores it in case the server loses it; resolves to null if the teacher asks its step again. */
async function sendText({ lesson, id }, text, epoch = scene && scene.epoch) {
  const key = `${lesson}/${id}`, stored = state.texts[key] = state.texts[key] || {};
  const isAccepted = await sendUntilAnswered('text', { lesson, id, text }), { texts = [] } = stored;
  if (state.texts[key] !== stored) return null;
  if (isAccepted && scene) {
    const others = lesson === 'game' ? [] : texts.filter((one) => one !== text);
    Object.assign(stored, { texts: others.concat(text), epoch });
  }
  saveState();
  return isAccepted;
}

// ---- the game: the class trains a tokenizer ----

/** Returns the step that texts are for: a game takes one sentence, whatever its vote is. */
const textsStep = ({ lesson, id, game }) => ({ lesson, id: game ? game.id : id });

let ownSentence = 0; // counts requests for the sentence in the tokenizer of the class

function drawGame() {
  const { game } = step;
  $('score').textContent = '';
  $('hint').textContent = game ? game.hint : '';
  if (!game) return;
  const closed = Object.keys(game.right), key = (at) => `game/${game.id}.${at}`;
  const right = closed.filter((at) => game.right[at].includes(state.counted[key(at)])).length;
  if (closed.length) $('score').textContent = fill(words.score, { right, votes: closed.length });
  const { texts = [] } = state.texts[`game/${game.id}`] || {};
  if (game.phase !== 'over') $('text').textContent = texts[0] || '';
  if (game.phase === 'collect' || !texts.length) drawTextForm();
  else $('send').hidden = true;
  ownSentence += 1;
  if (game.phase === 'over') drawOwnSentence(ownSentence, Boolean(texts.length));
}

/** Draws the phone's sentence in both tokenizers, links that open it, and one to save both. */
async function drawOwnSentence(number, hasSent) {
  const query = () => new URLSearchParams({ me: state.me, lang: language });
  const save = makeLink('go save', words.save, `${root}/${code}/own/home?${query()}`);
  save.download = '';
  $('revealed').append(save);
  if (!hasSent) $('revealed').prepend(makeElement('p', 'hint', words.none));
  for (let tries = 0; number === ownSentence; tries += 1) {
    const found = await withTimeout(async (signal) => {
      const reply = await fetch(`${root}/${code}/own/sentence?${query()}`, { signal, cache: 'no-store' });
      return reply.ok ? reply.json() : null;
    });
    if (number !== ownSentence) return;
    // a restarted server gets it again, unless removed
    if (found && (found.sentence !== null || !hasSent || tries > 5)) {
      if (hasSent) $('text').textContent = found.sentence || '';
      $('revealed').prepend(...asNodes(found.html));
      for (const [label, path] of found.links) save.before(makeLink('open', label, `${root}/../${path}`));
      return;
    }
    await delay(retryMs(tries));
  }
}

function makeLink(className, label, href) {
  return Object.assign(makeElement('a', className, label), { href });
}

let countdown = 0;

/** Shows the seconds until a vote closes; the server's clock decides. */
function runCountdown(seconds) {
  const end = Date.now() + 1000 * seconds, id = step && step.id;
  clearInterval(countdown);
  const show = () => {
    const isOpen = seconds > 0 && step && step.id === id && step.game && step.game.phase === 'vote';
    $('countdown').textContent = isOpen ? String(Math.max(0, Math.ceil((end - Date.now()) / 1000))) : '';
    if (!isOpen) clearInterval(countdown);
  };
  countdown = setInterval(show, 250);
  show();
}

function drawNavigation() {
  const place = $('turn');
  place.hidden = scene.together;
  place.textContent = '';
  if (scene.together) return;
  const back = makeButton(words.back, '', () => goToStep(at() - 1));
  const next = makeButton(words.next, 'go', () => goToStep(at() + 1));
  back.disabled = at() === 0;
  next.disabled = at() + 1 >= scene.of;
  place.append(back, next);
}

// ---- words that the browser's dictionary lacks stay on one line ----

/** Wraps these words, but not in texts of learners and tokens. */
function keepWordsWhole() {
  const pattern = new RegExp(`(${words.whole.join('|')})`);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (pattern.test(data) && !parentElement.closest('.whole, #text, .own, .t, .word')) found.push(texts.currentNode);
  }
  for (const text of found)
    text.replaceWith(...text.data.split(pattern).map((part, i) => (i % 2 ? makeElement('span', 'whole', part) : part)));
}

// ---- start ----

if (words.whole.length) {
  keepWordsWhole();
  new MutationObserver(keepWordsWhole).observe(document.body, { childList: true, characterData: true, subtree: true });
}

if (code) {
  $('code').textContent = code;
  saveState();
  for (const kind of ['visibilitychange', 'pageshow', 'online', 'focus']) addEventListener(kind, wake);
  document.addEventListener('visibilitychange', wake);
  poll();
}
