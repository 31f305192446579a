// Shows the picture and, over it, the outlines of the places of text.

import type { Place } from '../../tools/ocr/page_reader.js';
import { find } from './dom.js';

const kSvg = 'http://www.w3.org/2000/svg';

export interface Choices {
  /** The pointer is over a place, or left it. */
  readonly onHover: (place: number | undefined) => void;
  readonly onSelect: (place: number) => void;
}

export class PictureView {
  readonly #figure = find('figure');
  readonly #image = find<HTMLImageElement>('picture');
  readonly #boxes = find<SVGSVGElement>('boxes');
  #outlines: SVGPolygonElement[] = [];

  constructor(private readonly choices: Choices) {}

  /** Without outlines. */
  show(blob: Blob, name: string): void {
    this.clear();
    URL.revokeObjectURL(this.#image.src);
    this.#image.src = URL.createObjectURL(blob);
    this.#image.alt = `The picture that is read: ${name}`;
    find('invitation').hidden = true;
    this.#figure.hidden = false;
  }

  /** A file that is no picture is not shown. */
  hide(): void {
    this.#figure.hidden = true;
    find('invitation').hidden = false;
  }

  clear(): void {
    this.#boxes.replaceChildren();
    this.#outlines = [];
  }

  /** Places are in pixels of this size. */
  setSize(width: number, height: number): void {
    this.#boxes.setAttribute('viewBox', `0 0 ${width} ${height}`);
  }

  setPlaces(places: readonly Place[]): void {
    this.#outlines = places.map(({ quad }, place) => {
      const outline = document.createElementNS(kSvg, 'polygon');
      outline.setAttribute('points', quad.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' '));
      outline.addEventListener('pointerenter', () => this.choices.onHover(place));
      outline.addEventListener('pointerleave', () => this.choices.onHover(undefined));
      outline.addEventListener('click', () => this.choices.onSelect(place));
      return outline;
    });
    this.#boxes.replaceChildren(...this.#outlines);
  }

  setRead(place: number): void {
    this.#outlines[place]?.classList.add('read');
  }

  remove(place: number): void {
    this.#outlines[place]?.remove();
  }

  mark(kind: 'hovered' | 'selected', place: number | undefined): void {
    for (const [i, outline] of this.#outlines.entries()) outline.classList.toggle(kind, i === place);
  }
}
