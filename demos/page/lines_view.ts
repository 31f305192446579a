// The list of lines: a list box whose selected line is outlined in the picture.

import type { ReadText } from '../../tools/ocr/ctc.js';
import { find, make } from './dom.js';
import type { Choices } from './picture_view.js';

export class LinesView {
  readonly #list = find('lines');
  /** By place; those that turned out to be no text are undefined. */
  #items: (HTMLLIElement | undefined)[] = [];
  #selected: number | undefined;

  constructor(private readonly choices: Choices) {
    this.#list.addEventListener('keydown', (event) => this.#onKey(event));
    this.#list.addEventListener('focus', () => {
      if (this.#selected === undefined) this.#move(0, 1);
    });
  }

  clear(): void {
    this.setPlaces(0);
  }

  setPlaces(count: number): void {
    this.#items = Array.from({ length: count }, (_, place) => {
      const item = make('li', {
        role: 'option',
        id: `line-${place}`,
        class: 'waiting',
        'aria-selected': 'false',
      });
      item.append(make('span', { class: 'text' }, '…'));
      item.addEventListener('pointerenter', () => this.choices.onHover(place));
      item.addEventListener('pointerleave', () => this.choices.onHover(undefined));
      item.addEventListener('click', () => this.choices.onSelect(place));
      return item;
    });
    this.#list.replaceChildren(...this.#items.flatMap((item) => item ?? []));
    this.#list.hidden = count === 0;
    this.mark('selected', undefined);
  }

  setText(place: number, { text, confidence }: ReadText): void {
    const item = this.#items[place];
    item?.classList.remove('waiting');
    const percent = `${Math.round(100 * confidence)} %`;
    item?.replaceChildren(
      make('span', { class: 'text' }, text),
      make('span', { class: 'confidence' }, make('span', { class: 'unseen' }, 'certainty '), percent),
    );
  }

  remove(place: number): void {
    this.#items[place]?.remove();
    this.#items[place] = undefined;
    this.#list.hidden = this.#items.every((item) => item === undefined);
  }

  mark(kind: 'hovered' | 'selected', place: number | undefined): void {
    for (const [i, item] of this.#items.entries()) item?.classList.toggle(kind, i === place);
    if (kind === 'hovered') return;
    this.#selected = place;
    for (const [i, item] of this.#items.entries()) item?.setAttribute('aria-selected', String(i === place));
    const item = place === undefined ? undefined : this.#items[place];
    if (item) this.#list.setAttribute('aria-activedescendant', item.id);
    else this.#list.removeAttribute('aria-activedescendant');
    item?.scrollIntoView({ block: 'nearest' });
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#selected ?? -1;
    if (event.key === 'ArrowDown') this.#move(at + 1, 1);
    else if (event.key === 'ArrowUp') this.#move(at - 1, -1);
    else if (event.key === 'Home') this.#move(0, 1);
    else if (event.key === 'End') this.#move(this.#items.length - 1, -1);
    else return;
    event.preventDefault();
  }

  /** Selects the first line from a place on, in one direction. */
  #move(from: number, step: 1 | -1): void {
    for (let place = from; place >= 0 && place < this.#items.length; place += step) {
      if (!this.#items[place]) continue;
      this.choices.onSelect(place);
      return;
    }
  }
}
