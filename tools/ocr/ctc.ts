// Reads text from the output of the recognition network: float32 [batch, steps, classes], probabilities of the
// characters at each step. Class 0 is the blank of connectionist temporal classification (Graves et al., 2006): a
// character is counted where it begins, so a letter that stands twice has a blank between.

export interface ReadText {
  readonly text: string;
  /** Mean probability of the characters of the text, from 0 to 1; 0 for no text. */
  readonly confidence: number;
}

/** The classes' characters from a list with one character a line: the blank comes first, a space last. */
export function readAlphabet(list: string): string[] {
  const lines = list.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return ['', ...lines, ' '];
}

/**
 * The most probable character of each step, without repetitions and blanks; one text for each row of the batch.
 * Spaces before the first and after the last character are the margin of the picture and left out.
 */
export function decodeText(
  data: Float32Array,
  dims: readonly number[],
  alphabet: readonly string[],
): ReadText[] {
  const [batch, steps, classes] = dims;
  if (batch === undefined || steps === undefined || classes === undefined || dims.length !== 3)
    throw new Error(
      `the recognition output has dims [${dims.join(', ')}]; [batch, steps, classes] was expected`,
    );
  if (classes !== alphabet.length)
    throw new Error(
      `the network knows ${classes} characters, the list ${alphabet.length} (with blank and space)`,
    );
  return Array.from({ length: batch }, (_, row) => {
    let text = '';
    let last = 0;
    const probabilities = [];
    for (let step = 0; step < steps; step++) {
      const scores = data.subarray((row * steps + step) * classes, (row * steps + step + 1) * classes);
      const best = largest(scores);
      if (best !== 0 && best !== last) {
        text += alphabet[best] ?? '';
        probabilities.push(scores[best] ?? 0);
      }
      last = best;
    }
    const sum = probabilities.reduce((a, b) => a + b, 0);
    return { text: text.trim(), confidence: probabilities.length ? sum / probabilities.length : 0 };
  });
}

function largest(scores: Float32Array): number {
  let best = 0;
  for (let i = 1; i < scores.length; i++) if ((scores[i] ?? 0) > (scores[best] ?? 0)) best = i;
  return best;
}
