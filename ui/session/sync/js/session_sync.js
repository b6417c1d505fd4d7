// The browser's half of ui/session/sync: sends what the server does not have, and keeps what a reload would lose.
import { connectClass, keepClass } from './class.js';
import { acknowledgePending } from './pending.js';
import { keepLessons } from './lessons.js';
import { bringText } from './text.js';
import { inDocument } from '../../../components/js/dom/document-state.js';
import { heading } from '../../../components/js/editor/tab-state.js';
import { FRAGMENT, outbox, PAGE } from '../../../components/js/net/outbox.js';
import { link } from '../../../components/js/net/page-link.js';
import { watchConnection } from '../../../components/js/streamlit/streamlit-dom.js';
import { comeBack, goAway } from './reconnect.js';
import { bringEncodings, follow, isKnown, keepOrBring } from './page-snapshot.js';

// Each language has a bundle of its own; all use the state of the first.
export default (component) => inDocument('sync', begin)(component);

function begin() {
  let requestRun = null;
  addEventListener('hashchange', () => follow(location.hash, new URLSearchParams(location.search)));
  watchConnection((isThere) => {
    if (!isThere) {
      outbox().wasAway = true;
      return goAway();
    }
    comeBack(() => requestRun?.(), isKnown);
    connectClass();
  });
  return ({ data, setTriggerValue }) => {
    const send = (changes) => setTriggerValue('changes', changes), { snapshot, kept, fileProblem } = data;
    if (snapshot) {
      outbox().receive(FRAGMENT, data, send);
      keepOrBring(snapshot, data.visitor);
      acknowledgePending(data.pending);
      keepClass(kept.class, data.visitor);
      if (kept.lessons) keepLessons(kept.lessons, data.visitor);
    } else {
      requestRun = () => setTriggerValue('back', true);
      const way = heading();
      if (way.to?.split('/').pop() === data.page) way.isThere = true;
      document.documentElement.dataset.page = data.page; // for tests: the page that has come
      link().fileProblem = fileProblem;
      outbox().receive(PAGE, data, send);
      bringText(data);
      bringEncodings(data);
    }
  };
}
