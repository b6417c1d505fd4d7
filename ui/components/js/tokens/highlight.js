// Tokens that are lit: the elements that show them carry a class, and of a grapheme that several tokens share its bands
// are lit alone.

export class Lights {
  constructor() {
    this.marked = {}; // class -> the elements that carry it
  }

  /** Gives the class `mark` to what shows tokens, and takes it from what had it; `spans` are { elements, from, to }:
   *  from..to are numbers of tokens in the chunk of these elements. */
  set(mark, spans) {
    for (const element of this.marked[mark] ?? []) element.classList.remove(mark);
    this.marked[mark] = spans.flatMap(({ elements, from, to }) => {
      for (const element of elements) light(element, mark, from, to);
      return elements;
    });
  }
}

function light(element, mark, from, to) {
  element.classList.add(mark);
  const n = Number(element.dataset.n ?? 1);
  if (n === 1) return;
  const first = Math.max(0, from - Number(element.dataset.k)), end = Math.min(n, to - Number(element.dataset.k));
  element.style.setProperty(`--${mark}`, 'leftward' in element.dataset ? n - end : first);
  element.style.setProperty(`--${mark}-over`, end - first);
}
