// The panel that shares a page.
import { panel } from '/ui/widgets/bar/js/panel.js';
import { stage } from '/ui/widgets/bar/js/stage.js';
import { check, equal } from './check.js';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';

export async function notes_on_a_link_follow_those_on_a_file_that_could_not_be_opened() {
  const { dialog } = panel(), { fetch } = window;
  window.fetch = async () => new Response(new Blob([SVG], { type: 'image/svg+xml' }));
  const notes = () => dialog.querySelector('.notes').textContent;
  try {
    await panel().open();
    await panel().loadFile(new File(['x'.repeat(2_000_001)], 'page.tokenloupe'));
    check(notes().includes('This file has 2,000,001 bytes'), notes());
    const box = panel().onlyMergesBox;
    box.checked = true;
    box.dispatchEvent(new Event('change'));
    for (let i = 0; i < 300 && notes().includes('Drawing'); i++)
      await new Promise((later) => { setTimeout(later, 50); });
    check(!notes().includes('Drawing') && !notes().includes('This file'), notes());
  } finally {
    dialog.close();
    window.fetch = fetch;
  }
}

export async function panel_and_stage_have_the_words_of_the_bundle_that_calls_them() {
  const others = await Promise.all(['panel', 'stage'].map((name) => import(`/ui/widgets/bar/js/${name}.js?other`)));
  for (const [own, other, method] of [[panel, others[0].panel, 'build'], [stage, others[1].stage, 'showHint']]) {
    const [first, second, again] = [own, other, own].map((get) => get()[method]);
    equal([own() === other(), first === second, first === again], [true, false, true], method);
  }
}
