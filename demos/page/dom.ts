// Finding and making elements.

/** The element of index.html with this id. */
export function find<T extends Element = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no element "${id}"`);
  return element as Element as T;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value ?? '');
  element.append(...children);
  return element;
}

/** Says it to screen readers, when they have said the rest. */
export function announce(text: string): void {
  find('live').textContent = text;
}
