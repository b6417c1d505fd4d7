// Highlights tokens: their elements get a class; in a grapheme that several tokens share, only the token's bands do.

export class Highlight {
  constructor() {
    this.marked = {}; // class -> elements that have it
  }

  /** Moves the class `mark` to the elements of `spans`: { elements, from, to } with token numbers in their chunk. */
  set(mark, spans) {
    for (const element of this.marked[mark] ?? []) element.classList.remove(mark);
    this.marked[mark] = spans.flatMap(({ elements, from, to }) => {
      for (const element of elements) addMark(element, mark, from, to);
      return elements;
    });
  }

  /** Moves the class `mark` to the `elements` of the token `hit`, or to none if `hit` is null. */
  setToken(mark, hit, elements) {
    this.set(mark, hit ? [{ elements: elements(hit), from: hit.k, to: hit.k + 1 }] : []);
  }
}

function addMark(element, mark, from, to) {
  element.classList.add(mark);
  const n = Number(element.dataset.n ?? 1);
  if (n === 1) return;
  const first = Math.max(0, from - Number(element.dataset.k)), end = Math.min(n, to - Number(element.dataset.k));
  element.style.setProperty(`--${mark}`, 'leftward' in element.dataset ? n - end : first);
  element.style.setProperty(`--${mark}-over`, end - first);
}
