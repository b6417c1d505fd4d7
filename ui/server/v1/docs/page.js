/** Sends what a form holds, and shows what came back, as text. */

const LONGEST = 20_000; // characters of an answer that are shown

async function asked(path, body) {
  const reply = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return `${reply.status}\n${await reply.text()}`;
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

for (const shown of document.querySelectorAll('.curl')) {
  shown.textContent = shown.textContent.replace('http://localhost:8501', location.origin);
}
