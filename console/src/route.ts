/** Which screen is shown: the part of the address behind `#`, so that the back button and links work. */
import { signal } from '@preact/signals';

/** A screen, with the model that it is about. */
export type Screen =
  | { readonly screen: 'board' | 'status' | 'calculator' | 'start' }
  | { readonly screen: 'model'; readonly model: string };

/** The screen now. */
export const route = signal<Screen>(routeOf(location.hash));

addEventListener('hashchange', () => {
  route.value = routeOf(location.hash);
  scrollTo(0, 0);
});

/** The address of the view of a model. */
export function modelAddress(model: string): string {
  return `#/model/${encodeURIComponent(model)}`;
}

function routeOf(hash: string): Screen {
  const [, screen = '', rest = ''] = /^#\/([a-z]*)(?:\/(.+))?$/.exec(hash) ?? [];
  if (screen === 'model' && rest !== '') return { screen, model: decoded(rest) };
  if (screen === 'status' || screen === 'calculator' || screen === 'start') return { screen };
  return { screen: 'board' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
