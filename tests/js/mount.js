// A component is made once in its place, and ends with it.
import { mount, Part } from '/ui/components/js/dom/component.js';
import { check, equal } from './check.js';

const told = [];

class Kind extends Part {
  update({ data }) { told.push(data); }
  leave() { told.push('left'); }
}

const call = mount(Kind);

/** A place with what a component is made of. */
function place() {
  const found = document.createElement('div');
  found.innerHTML = '<div class="desk"></div>';
  document.body.append(found);
  told.length = 0;
  return found;
}

export function what_ends_a_call_that_was_overtaken_does_not_end_the_component() {
  const parentElement = place();
  const ends = [1, 2].map((data) => call({ parentElement, data }));
  const part = window.tokenloupeParts.get(parentElement);
  ends[0]();
  call({ parentElement, data: 3 });
  ends[1](); // as Streamlit does, where the next call was first
  equal(told, [1, 2, 3]);
  check(window.tokenloupeParts.get(parentElement) === part && !part.window.signal.aborted);
}

export function it_ends_with_its_place() {
  const parentElement = place();
  const end = call({ parentElement, data: 1 });
  const part = window.tokenloupeParts.get(parentElement);
  parentElement.remove();
  end();
  equal(told, [1, 'left']);
  check(!window.tokenloupeParts.has(parentElement) && part.window.signal.aborted);
}

export function what_it_is_made_of_may_be_made_anew() {
  const parentElement = place();
  call({ parentElement, data: 1 });
  parentElement.innerHTML = '<div class="desk"></div>';
  call({ parentElement, data: 2 });
  equal(told, [1, 'left', 2]);
}
