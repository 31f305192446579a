// The drawing area: strokes of a mouse, pen or finger, and text that is typed, in dark ink on white paper whatever the
// page's colors. Its picture is what is on the canvas.

import { find } from './dom.js';

type Point = readonly [x: number, y: number];

const kPen = 7;
const kLetters = 96;
const kFont = 'Georgia, "Liberation Serif", "DejaVu Serif", serif';

export class Drawing {
  readonly #panel = find('drawing');
  readonly #canvas = find<HTMLCanvasElement>('canvas');
  readonly #typed = find<HTMLInputElement>('typed');
  #strokes: Point[][] = [];

  constructor(onPicture: (blob: Blob, name: string) => void) {
    this.#offerPen();
    this.#typed.addEventListener('input', () => this.#draw());
    this.#typed.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') find('read-drawing').click();
    });
    find('undo').addEventListener('click', () => {
      this.#strokes.pop();
      this.#draw();
    });
    find('clear').addEventListener('click', () => {
      this.#strokes = [];
      this.#typed.value = '';
      this.#draw();
      this.#typed.focus(); // the button is disabled now
    });
    find('read-drawing').addEventListener('click', () => {
      this.#canvas.toBlob((blob) => blob && onPicture(blob, 'the drawing'));
    });
    this.#draw();
  }

  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  open(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
  }

  #offerPen(): void {
    const canvas = this.#canvas;
    const at = (event: PointerEvent): Point => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      return [
        ((event.clientX - left) * canvas.width) / width,
        ((event.clientY - top) * canvas.height) / height,
      ];
    };
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      canvas.setPointerCapture(event.pointerId);
      this.#strokes.push([at(event)]);
      this.#draw();
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      const moves = event.getCoalescedEvents?.() ?? [];
      this.#strokes.at(-1)?.push(...(moves.length > 0 ? moves : [event]).map(at));
      this.#draw();
    });
  }

  #draw(): void {
    const context = this.#canvas.getContext('2d');
    if (!context) return;
    const { width, height } = this.#canvas;
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.fillStyle = context.strokeStyle = '#1c2128';
    context.lineWidth = kPen;
    context.lineCap = context.lineJoin = 'round';
    for (const stroke of this.#strokes) drawStroke(context, stroke);
    drawText(context, this.#typed.value.trim(), width, height);
    const isEmpty = this.#strokes.length === 0 && this.#typed.value.trim() === '';
    find<HTMLButtonElement>('undo').disabled = this.#strokes.length === 0;
    find<HTMLButtonElement>('clear').disabled = isEmpty;
    find<HTMLButtonElement>('read-drawing').disabled = isEmpty;
  }
}

/** Smooth: through the middles between points, with the points as what pulls. */
function drawStroke(context: CanvasRenderingContext2D, stroke: readonly Point[]): void {
  const [first] = stroke;
  if (!first) return;
  context.beginPath();
  context.moveTo(...first);
  context.lineTo(...first); // a dot
  for (const [i, point] of stroke.entries()) {
    const next = stroke[i + 1] ?? point;
    context.quadraticCurveTo(...point, (point[0] + next[0]) / 2, (point[1] + next[1]) / 2);
  }
  context.stroke();
}

/** In the middle, smaller where it would not fit. */
function drawText(context: CanvasRenderingContext2D, text: string, width: number, height: number): void {
  if (text === '') return;
  context.font = `${kLetters}px ${kFont}`;
  const size = Math.min(kLetters, (kLetters * (width - 80)) / context.measureText(text).width);
  context.font = `${size}px ${kFont}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, width / 2, height / 2);
}
