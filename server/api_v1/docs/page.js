/** Sends a form's request, and shows the answer as text. */

const LONGEST = 5_000; // characters of an answer to show
const ANSWERED_WITHIN = 150_000; // ms: the server queues a request for up to 120 s

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
