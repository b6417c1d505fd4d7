// The list that reports blocks near the viewport.
import { make } from '/web/js/dom/elements.js';
import { VirtualList } from '/web/js/dom/virtual-list.js';
import { check, equal } from './check.js';

// Runs a function with an observer that reports when the test calls it.
function withObserver(run) {
  const own = window.IntersectionObserver;
  let report;
  window.IntersectionObserver = class {
    constructor(callback) { report = (target) => callback([{ target, isIntersecting: true }]); }
    observe() {}
    unobserve() {}
  };
  try { run((target) => report(target)); } finally { window.IntersectionObserver = own; }
}

export function what_was_removed_before_its_report_is_ignored() {
  withObserver((report) => {
    const view = document.body.appendChild(make('div')), block = make('div', 'line'), part = make('span', 'part');
    const near = [], list = new VirtualList(view, (line) => Array.from(line.childNodes), (target) => near.push(target));
    block.append(part);
    list.insert(block, null);
    const page = block.parentElement;
    report(page);
    check(page.isNear);
    report(part);
    check(near.length === 1 && near[0] === part);
    list.remove(block);
    report(page);
    report(part);
    equal(near.length, 1);
  });
}
