// A press may turn the page, and what a component sends across a page change turns it back: so whoever sends something waits a moment.

const MOMENT = 700; // ms
const lastPress = { at: -MOMENT, to: null };

addEventListener('pointerdown', note, true);
addEventListener('click', note, true);

function note({ target }) {
  const link = target.closest?.('a[href]');
  Object.assign(lastPress, { at: performance.now(), to: link ? new URL(link.href).pathname.split('/').pop() : null });
}

/** How many ms to wait before something can be sent from `page`, as its address names it; 0 where the last press led there. */
export function patience(page) {
  return lastPress.to === page ? 0 : Math.max(0, lastPress.at + MOMENT - performance.now());
}
