"""Which look the reader wants: the system's, light or dark; kept in the browser, for every page and visit."""

import streamlit as st

HTML = """<select aria-label="Theme" title="Theme">
  <option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option>
</select>"""
CSS = """
select {
  font: 400 0.875rem/1.25rem var(--st-font); color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius); cursor: pointer;
  width: 100%; height: 2.25rem; padding: 0 0.25rem;
}
select:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
"""

# Streamlit takes the look that the browser prefers, and asks for it again after printing: so the browser is made to
# prefer what the reader chose.
SCRIPT = """
const KEY = 'tokenloupe.theme';

function wanted() {
  try {
    return localStorage.getItem(KEY) ?? 'system';
  } catch {
    return window.tokenloupeTheme ?? 'system'; // no storage: as long as the tab lives
  }
}

function prefer(look) {
  window.tokenloupeTheme = look;
  try {
    localStorage.setItem(KEY, look);
  } catch { /* as above */ }
  dispatchEvent(new Event('afterprint'));
}

function overrule() {
  const native = window.matchMedia;
  window.matchMedia = (query) => {
    const list = native.call(window, query), look = wanted();
    if (look === 'system' || !query.includes('prefers-color-scheme')) return list;
    return Object.defineProperty(list, 'matches', { value: query.includes(look) });
  };
  window.matchMedia.isOurs = true;
  if (wanted() !== 'system') prefer(wanted());
}

export default function ({ parentElement }) {
  if (!window.matchMedia.isOurs) overrule();
  const select = parentElement.querySelector('select');
  select.value = wanted();
  select.onchange = () => prefer(select.value);
}
"""

_component = st.components.v2.component("tokenloupe_theme", html=HTML, css=CSS, js=SCRIPT)


def switch() -> None:
    """Draws the choice between the system's look, the light and the dark one."""
    _component(key="theme")
