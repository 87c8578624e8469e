/**
 * The search of /docs. Pages are complete without it: the script shows the field, loads what is searched when the field is
 * first used, and puts the results in the place of the page.
 */
import '../style.css';
import './docs.css';
import { type Hit, indexOf, type Section } from './search.ts';

/** How many letters of a part are shown around the first word that matches. */
const EXCERPT = 220;

const query = document.getElementById('query') as HTMLInputElement;
const found = document.getElementById('found') as HTMLElement;
const count = document.getElementById('count') as HTMLElement;
const results = document.getElementById('results') as HTMLElement;
const page = document.getElementById('page') as HTMLElement;
let index: Promise<(query: string) => Hit[]> | null = null;

query.parentElement?.removeAttribute('hidden');
query.addEventListener('focus', () => void load());
query.addEventListener('input', () => void show());
query.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') clear();
  if (event.key === 'Enter') results.querySelector('a')?.click();
});
// A result may be on the page that is shown already.
results.addEventListener('click', clear);
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea');
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  query.focus();
});

function clear(): void {
  query.value = '';
  void show();
}

function load(): Promise<(query: string) => Hit[]> {
  index ??= fetch('/docs/search.json')
    .then((answer) => answer.json() as Promise<Section[]>)
    .then(indexOf);
  // Asked for again with the next letter.
  index.catch(() => {
    index = null;
  });
  return index;
}

async function show(): Promise<void> {
  const words = query.value.trim();
  if (words === '') {
    found.hidden = true;
    page.hidden = false;
    return;
  }
  const hits = await load().then(
    (search) => search(words),
    () => null,
  );
  if (query.value.trim() !== words) return;
  results.replaceChildren(...(hits ?? []).map(itemOf));
  count.textContent = sentenceOf(words, hits);
  found.hidden = false;
  page.hidden = true;
}

function sentenceOf(words: string, hits: readonly Hit[] | null): string {
  if (hits === null) return 'The search could not be loaded. Type again to retry.';
  if (hits.length === 0) return `Nothing matches “${words}”.`;
  return `${hits.length} ${hits.length === 1 ? 'result' : 'results'} for “${words}”`;
}

function itemOf({ section, words }: Hit): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.className = 'hit';
  link.href = section.at;
  link.textContent = section.heading;
  const where = document.createElement('span');
  where.className = 'faint small';
  where.textContent = section.heading === section.page ? '' : ` ${section.page}`;
  const excerpt = document.createElement('p');
  excerpt.append(...marked(section.text, words));
  item.append(link, where, excerpt);
  return item;
}

/** The text around the first word that matches, with each such word marked. */
function marked(text: string, words: readonly string[]): Node[] {
  const pattern = new RegExp(`\\b(${words.map((word) => word.replace(/\W/g, '\\$&')).join('|')})`, 'iu');
  const first = Math.max(0, text.search(pattern));
  const from = first < EXCERPT / 3 ? 0 : text.lastIndexOf(' ', first - EXCERPT / 4) + 1;
  const excerpt = `${from > 0 ? '…' : ''}${text.slice(from, from + EXCERPT)}${from + EXCERPT < text.length ? '…' : ''}`;
  return excerpt.split(pattern).map((part, at) => {
    if (at % 2 === 0) return document.createTextNode(part);
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}
