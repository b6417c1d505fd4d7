// Questions that are asked at once are answered at once: one frame draws all columns, instead of a frame for each.

const PATIENCE = 50; // ms that an answer waits for the others

export class Together {
  constructor(door) {
    Object.assign(this, { door, answers: [] }); // to what was asked since the last task began
  }

  /** As Door.ask. */
  async ask(name, parameters, body) {
    const answer = this.door.ask(name, parameters, body);
    if (this.answers.push(answer) === 1) this.ready = this.gather();
    await this.ready;
    return answer;
  }

  async gather() {
    const patience = () => new Promise((resolve) => { setTimeout(resolve, PATIENCE); });
    await null; // until all have asked
    const { answers } = this;
    this.answers = [];
    await Promise.race([Promise.allSettled(answers), Promise.race(answers).then(patience, patience)]);
  }
}
