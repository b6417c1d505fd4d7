// Delivers answers to simultaneous requests together, so that one frame draws all columns.
import { delay } from '../../js/dom/elements.js';

const MAX_WAIT_MS = 50; // of an answer, for the others

export class BatchRequests {
  constructor(client) {
    Object.assign(this, { client, answers: [] }); // pending answers of the current batch
  }

  /** Same as EditorClient.ask. */
  async ask(name, parameters, body) {
    const answer = this.client.ask(name, parameters, body);
    if (this.answers.push(answer) === 1) this.ready = this.gather();
    await this.ready;
    return answer;
  }

  async gather() {
    const wait = () => delay(MAX_WAIT_MS);
    await null; // until all requests of this task are made
    const { answers } = this;
    this.answers = [];
    await Promise.race([Promise.allSettled(answers), Promise.race(answers).then(wait, wait)]);
  }
}
