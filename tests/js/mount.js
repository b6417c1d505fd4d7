// A component is created once per element and ends with it.
import { mount, Component } from '/web/js/dom/component.js';
import { check, equal } from './check.js';

const calls = [];
let components = []; // that were created

class Kind extends Component {
  constructor(root) {
    super(root);
    components.push(this);
  }

  update({ data }) { calls.push(data); }
  destroy() { calls.push('left'); }
}

const call = mount(Kind);

/** Returns an element with a component's HTML. */
function place() {
  const found = document.createElement('div');
  found.innerHTML = '<div class="desk"></div>';
  document.body.append(found);
  calls.length = 0;
  components = [];
  return found;
}

export function ending_an_outdated_call_keeps_the_component() {
  const parentElement = place();
  const ends = [1, 2].map((data) => call({ parentElement, data }));
  ends[0]();
  call({ parentElement, data: 3 });
  ends[1](); // as Streamlit does after the next call
  equal(calls, [1, 2, 3]);
  check(components.length === 1 && !components[0].windowListeners.signal.aborted);
}

export function component_ends_with_its_element() {
  const parentElement = place();
  const end = call({ parentElement, data: 1 });
  parentElement.remove();
  end();
  equal(calls, [1, 'left']);
  check(components[0].windowListeners.signal.aborted);
  document.body.append(parentElement);
  call({ parentElement, data: 2 }); // creates another one
  equal([calls, components.length], [[1, 'left', 2], 2]);
}

export function component_is_recreated_with_new_html() {
  const parentElement = place();
  call({ parentElement, data: 1 });
  parentElement.innerHTML = '<div class="desk"></div>';
  call({ parentElement, data: 2 });
  equal(calls, [1, 'left', 2]);
}
