// Questions that are asked at once are answered at once: one frame draws all columns, instead of a frame for each.

const PATIENCE = 50; // ms that an answer waits for the others

export class Together {
  constructor(door) {
    this.door = door;
    this.group = null; // the answers to what was asked since the last task began
  }

  /** As Door.ask. */
  async ask(name, parameters, body) {
    const answer = this.door.ask(name, parameters, body), group = this.join(answer);
    await group.ready;
    return answer;
  }

  join(answer) {
    if (!this.group) {
      const group = this.group = { answers: [] };
      group.ready = new Promise((resolve) => {
        queueMicrotask(() => {
          this.group = null;
          Promise.allSettled(group.answers).then(resolve);
          Promise.race(group.answers).finally(() => setTimeout(resolve, PATIENCE)).catch(() => {});
        });
      });
    }
    this.group.answers.push(answer);
    return this.group;
  }
}
