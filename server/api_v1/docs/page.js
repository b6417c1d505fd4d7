// The documentation of the API: sends a form's request, and shows the answer as text.

const MAX_SHOWN_CHARACTERS = 5_000; // of an answer
const REQUEST_TIMEOUT_MS = 150_000; // the server queues a request for up to 120 s

function indented(text) {
  return text.length > MAX_SHOWN_CHARACTERS ? text : JSON.stringify(JSON.parse(text), null, 2);
}

async function send(path, body) {
  const headers = { 'Content-Type': 'application/json' }, signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const reply = await fetch(path, { method: 'POST', headers, body, signal });
  return `${reply.status}\n${indented(await reply.text())}`;
}

for (const form of document.querySelectorAll('form')) {
  const [body, output] = [form.querySelector('textarea'), form.querySelector('output')];
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const answer = await send(form.dataset.path, body.value).catch((error) => `No answer: ${error.message}`);
    output.textContent = answer.length > MAX_SHOWN_CHARACTERS ? `${answer.slice(0, MAX_SHOWN_CHARACTERS)} …` : answer;
  });
}

for (const origin of document.querySelectorAll('.origin')) {
  origin.textContent = new URL('..', location.href).href.replace(/\/$/, ''); // below it are the paths
}
