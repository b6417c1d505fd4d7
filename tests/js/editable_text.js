// Undo in a text box, whatever comes in the middle of a composition by an input method.
import { SecondText } from '/ui/compare/texts/js/texts.js';
import { EditableText } from '/web/js/editor/editable-text.js';
import { History } from '/web/js/editor/history.js';
import { tabState, textHistory } from '/web/js/editor/tab-state.js';
import { TextEditor } from '/web/js/editor/text-editor.js';
import { outbox } from '/web/js/net/outbox.js';
import { fragmentFor } from '/web/js/net/text-link.js';
import { equal } from './check.js';

const nothing = () => {}, notice = () => ({ problem: '', showProblem: nothing });

function input(area, value, isComposing, inputType = isComposing ? 'insertCompositionText' : 'insertText') {
  area.value = value;
  area.dispatchEvent(Object.assign(new Event('input'), { isComposing, inputType }));
}

/** Returns the texts to which repeated undo leads from a text. */
function undone(history, text) {
  const texts = [];
  for (let found; (found = history.undo(text));) texts.push(text = found.text);
  return texts;
}

function textBox() {
  const area = document.createElement('textarea'), history = new History();
  const box = new EditableText(area, notice(), nothing, history);
  input(area, 'a', false, 'insertFromPaste');
  return { area, history, box };
}

export function a_composition_is_one_edit_in_any_order_of_its_last_events() {
  for (const isComposing of [true, false]) {
    const { area, history, box } = textBox();
    for (const value of ['ak', 'aか']) input(area, value, true);
    input(area, 'a日', isComposing, 'insertFromComposition');
    area.dispatchEvent(new Event('compositionend'));
    equal([box.raw, ...undone(history, box.raw)], ['a日', 'a', '']);
  }
}

export function undo_in_a_composition_undoes_the_composition() {
  const { area, history, box } = textBox();
  input(area, 'aか', true);
  area.dispatchEvent(Object.assign(new Event('beforeinput'), { inputType: 'historyUndo' }));
  area.dispatchEvent(new Event('compositionend'));
  equal([area.value, ...undone(history, box.raw)], ['a', '']);
}

export function pasted_and_dropped_text_keeps_its_line_ends() {
  for (const [kind, name] of [['paste', 'clipboardData'], ['drop', 'dataTransfer']]) {
    const { area, box } = textBox();
    area.dispatchEvent(Object.assign(new Event(kind), { [name]: { getData: () => 'x\r\ny\rz' } }));
    input(area, 'ax\ny\nz', false, 'insertFromDrop');
    equal(box.raw, 'ax\r\ny\rz', kind);
  }
}

export function text_of_the_page_that_is_dropped_gets_no_line_ends_of_windows() {
  const { area, box } = textBox();
  dispatchEvent(new Event('dragstart'));
  area.dispatchEvent(Object.assign(new Event('drop'), { dataTransfer: { getData: () => 'b\r\nc' } }));
  input(area, 'ab\nc', false, 'insertFromDrop');
  dispatchEvent(new Event('dragend'));
  equal(box.raw, 'ab\nc');
}

export function undo_and_redo_have_their_keys_on_a_layout_without_latin_letters() {
  const { area, box } = textBox();
  input(area, 'aข', false);
  const press = (key, keyCode, shiftKey = false) => {
    const event = new Event('keydown', { cancelable: true });
    area.dispatchEvent(Object.assign(event, { key, keyCode, shiftKey, ctrlKey: true }));
    return [box.raw, event.defaultPrevented];
  };
  equal(press('ผ', 90), ['a', true]); // on a Thai keyboard, z
  equal(press('ผ', 90), ['', true]);
  equal(press('(', 90, true), ['a', true]);
  equal(press('ั', 89), ['aข', true]);
  equal(press(';', 186), ['aข', false]); // on Dvorak, at the place of z
  equal(press('ż', 90), ['aข', false]); // a Latin letter: on a Polish keyboard, AltGr and z
  equal(press('z', 191), ['a', true]); // and z
}

const push = (id, text, initial = false) => ({ id, text, initial, holds: id });

/** Returns an editor and its area in a tab that has this text, with an empty history. */
function textEditor(text) {
  Object.assign(tabState(), { text, push: null, name: null, link: undefined });
  Object.assign(textHistory(), new History());
  const area = document.createElement('textarea');
  return { area, editor: new TextEditor(area, notice(), nothing) };
}

export async function texts_of_the_tab_and_of_a_link_can_be_undone_after_a_key_that_came_before_them() {
  const before = location.href;
  history.replaceState(null, '', `/#${await fragmentFor('of the link')}`);
  for (const isEarlier of [true, false]) {
    const { area, editor } = textEditor('of the tab');
    if (isEarlier) area.value = 'typed'; // before this script ran
    editor.receive(push('first', 'sample', true));
    if (!isEarlier) input(area, 'typed', false);
    await editor.opening;
    editor.destroy();
    equal([tabState().text, ...undone(textHistory(), 'typed')], ['typed', 'of the link', 'of the tab']);
  }
  history.replaceState(null, '', before);
}

export async function undo_restores_each_text_after_a_push_or_another_page_ends_a_composition() {
  const { area, editor } = textEditor(null);
  editor.receive(push('first', 'one', true));
  await editor.opening;
  input(area, 'oneか', true);
  editor.receive(push('second', 'two'));
  area.dispatchEvent(new Event('compositionend'));
  input(area, 'twoか', true);
  editor.destroy();
  equal(undone(textHistory(), tabState().text), ['two', 'oneか', 'one']);
}

export async function a_text_is_sent_at_once_before_a_file_replaces_it() {
  const { area, editor } = textEditor(null);
  editor.receive(push('first', 'sample', true));
  await editor.opening;
  outbox().discard('text');
  input(area, 'typed', false);
  equal(outbox().has('text'), false);
  dispatchEvent(new Event('tokenloupe-commit'));
  equal(outbox().changes.get('text').value.text, 'typed');
  editor.destroy();
}

export function second_text_keeps_pasted_line_ends_and_can_be_undone_after_a_link() {
  Object.assign(tabState(), { second: 'mine', secondPush: null });
  const area = document.createElement('textarea'), second = new SecondText(area, notice(), nothing);
  const clipboardData = { getData: () => '\r\nand more' };
  area.dispatchEvent(Object.assign(new Event('paste'), { clipboardData }));
  input(area, 'mine\nand more', false, 'insertFromPaste');
  second.receive({ id: 'link', text: 'of a link' });
  equal([second.raw, ...undone(second.history, second.raw)], ['of a link', 'mine\r\nand more', 'mine']);
  equal(tabState().second, 'of a link');
}

export function long_paste_and_undo_change_no_read_only_text() {
  const clipboardData = { getData: () => 'x'.repeat(70_000) };
  for (const facts of [{ type: 'paste', clipboardData }, { type: 'beforeinput', inputType: 'historyUndo' }])
    for (const readOnly of [true, false]) {
      const { area, box } = textBox(), { type, ...more } = facts;
      area.readOnly = readOnly;
      area.dispatchEvent(Object.assign(new Event(type), more));
      equal([area.value === 'a', box.raw === 'a'], [readOnly, readOnly], type);
    }
}
