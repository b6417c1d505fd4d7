// The browser's half of ui/session/sync: sends what the server lacks, and stores what a reload would lose.
import { reopenClass, syncClass } from './class.js';
import { focusHeading, hideIncompletePages } from './page-turn.js';
import { acknowledgePending } from './pending.js';
import { syncLessons } from './lessons.js';
import { sendText } from './text.js';
import { inDocument } from '../../../../web/js/dom/document-state.js';
import { navigation } from '../../../../web/js/editor/tab-state.js';
import { FRAGMENT, outbox, PAGE } from '../../../../web/js/net/outbox.js';
import { lastRun } from '../../../../web/js/net/page-link.js';
import { watchConnection } from '../../../../web/js/streamlit/streamlit-dom.js';
import { onReconnect, onDisconnect } from './reconnect.js';
import { restoreEncodings, followLink, isServerCurrent, storeOrRestore } from './page-snapshot.js';

// Each language has a bundle of its own; all share the state of the first.
export default (component) => inDocument('sync', begin)(component);

function begin() {
  let requestRun = null;
  hideIncompletePages();
  addEventListener('hashchange', () => followLink(location.hash, new URLSearchParams(location.search)));
  watchConnection((isConnected) => {
    if (!isConnected) {
      outbox().wasDisconnected = true;
      return onDisconnect();
    }
    onReconnect(() => requestRun?.(), isServerCurrent);
    reopenClass();
  });
  return ({ data, setTriggerValue }) => {
    const send = (changes) => setTriggerValue('changes', changes), { snapshot, kept, fileProblem } = data;
    if (snapshot) {
      outbox().receive(FRAGMENT, data, send);
      storeOrRestore(snapshot, data.visitor);
      acknowledgePending(data.pending);
      syncClass(kept.class, data.visitor, snapshot.classroom);
      if (kept.lessons) syncLessons(kept.lessons, data.visitor);
    } else {
      requestRun = () => setTriggerValue('back', true);
      const current = navigation();
      if (current.path?.split('/').pop() === data.page) current.hasArrived = true;
      const { dataset } = document.documentElement, before = dataset.page;
      dataset.page = data.page; // the page that is open
      if (before !== undefined && before !== data.page) focusHeading(data.page);
      lastRun().fileProblem = fileProblem;
      outbox().receive(PAGE, data, send);
      sendText(data);
      restoreEncodings(data);
    }
  };
}
