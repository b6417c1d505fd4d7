// A word with a toggle button in each gap between characters: pressed means cut.
import { make } from '../../../../web/js/dom/elements.js';
import { mount, Component } from '../../../../web/js/dom/component.js';

class Cuts extends Component {
  update(component) {
    const { text, words } = component.data;
    this.component = component;
    if (this.text === text && this.words?.gap === words.gap) return;
    Object.assign(this, { text, words });
    this.$('.hint').textContent = words.hint;
    this.$('.check').textContent = words.check;
    this.$('.word').ariaLabel = text;
    const characters = Array.from(text);
    this.$('.word').replaceChildren(
      ...characters.flatMap((character, i) =>
        i ? [this.gap(characters[i - 1], character, i), character] : [character],
      ),
    );
  }

  gap(before, after, at) {
    const gap = Object.assign(make('button', 'gap'), { type: 'button', ariaPressed: 'false' });
    gap.ariaLabel = this.words.gap.replace('{before}', () => before).replace('{after}', () => after);
    gap.dataset.do = 'cut';
    gap.dataset.at = at;
    return gap;
  }

  onPress(button) {
    if (button.dataset.do === 'cut') button.ariaPressed = String(button.ariaPressed !== 'true');
    else
      this.component.setTriggerValue(
        'guess',
        [...this.root.querySelectorAll('.gap[aria-pressed="true"]')].map(({ dataset }) => Number(dataset.at)),
      );
  }
}

export default mount(Cuts);
