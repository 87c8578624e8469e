/** The models that a reader marked, kept in this browser. */
import { signal } from '@preact/signals';

const NAME = 'sluice-favorites';

/** Their ids. */
export const favorites = signal<ReadonlySet<string>>(read());

addEventListener('storage', ({ key }) => {
  if (key === NAME || key === null) favorites.value = read();
});

/** Marks a model, or unmarks it. */
export function toggleFavorite(model: string): void {
  const others = new Set(favorites.value);
  if (!others.delete(model)) others.add(model);
  favorites.value = others;
  localStorage.setItem(NAME, JSON.stringify([...others]));
}

function read(): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    return new Set(Array.isArray(kept) ? kept.map(String) : []);
  } catch {
    return new Set();
  }
}
