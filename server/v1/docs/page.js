/** Sends what a form holds, and shows what came back, as text. */

const LONGEST = 5_000; // characters of an answer that are shown
const ANSWERED_WITHIN = 150_000; // ms: the server lets a question wait 120 s for its turn

function spread(text) {
  return text.length > LONGEST ? text : JSON.stringify(JSON.parse(text), null, 2);
}

async function asked(path, body) {
  const headers = { 'Content-Type': 'application/json' }, signal = AbortSignal.timeout(ANSWERED_WITHIN);
  const reply = await fetch(path, { method: 'POST', headers, body, signal });
  return `${reply.status}\n${spread(await reply.text())}`;
}

for (const form of document.querySelectorAll('form')) {
  const [body, said] = [form.querySelector('textarea'), form.querySelector('output')];
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const answer = await asked(form.dataset.path, body.value).catch((error) => `No answer: ${error.message}`);
    said.textContent = answer.length > LONGEST ? `${answer.slice(0, LONGEST)} …` : answer;
  });
}

for (const origin of document.querySelectorAll('.origin')) {
  origin.textContent = location.origin;
}
