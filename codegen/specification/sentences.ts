/**
 * Splits docs/specification.md into sentences and names each of them: `4.2-7` is the seventh of section 4.2. Not one word
 * of the document changes, and every word outside headings and the heads of tables is in exactly one sentence.
 */

/** A sentence of the specification, or a part of one that a semicolon ends. */
export interface Sentence {
  /** The section and a running number, such as `4.2-7`; section 0 is what stands before the first. */
  readonly id: string;
  /** What it is about where the sentence does not say: the first cell of its row, or the operation that its paragraph opens with. */
  readonly of: string | null;
  /** The words of the document; ` | ` stands between the cells of a row. */
  readonly text: string;
}

/** The sentences as `generated/specification/sentences.json` keeps them. */
export type SentenceIndex = readonly Sentence[];

/**
 * The sentences in the order of the document. A sentence that `known` has keeps its id, and a new one gets a number that
 * its section never had, so that an edit of the document renames nothing.
 */
export function sentencesOf(document: string, known: SentenceIndex = []): Sentence[] {
  const ids = Map.groupBy(known, (sentence) => keyOf(sectionOf(sentence.id), sentence));
  const last = new Map<string, number>();
  for (const { id } of known) last.set(sectionOf(id), Math.max(last.get(sectionOf(id)) ?? 0, Number(id.split('-')[1])));
  const old = new Map([...ids].map(([key, sentences]) => [key, sentences.map(({ id }) => id)]));
  return unnamedOf(document).map(({ section, ...sentence }) => {
    const kept = old.get(keyOf(section, sentence))?.shift();
    if (kept) return { id: kept, ...sentence };
    last.set(section, (last.get(section) ?? 0) + 1);
    return { id: `${section}-${last.get(section)}`, ...sentence };
  });
}

/** The section of an id: `4.2` of `4.2-7`. */
export function sectionOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}

type Unnamed = Omit<Sentence, 'id'> & { readonly section: string };

function keyOf(section: string, { of, text }: Omit<Sentence, 'id'>): string {
  return JSON.stringify([section, of, text]);
}

function unnamedOf(document: string): Unnamed[] {
  const sentences: Unnamed[] = [];
  let section = '0';
  const lines = document.split('\n');
  for (const [at, line] of lines.entries()) {
    const isTableHead = line.startsWith('|') && /^\|[-|: ]+\|$/.test(lines[at + 1] ?? '');
    if (line.startsWith('#')) section = /^#+ (\d+(?:\.\d+)?)/.exec(line)?.[1] ?? section;
    else if (line.trim() !== '' && !isTableHead && !/^\|[-|: ]+\|$/.test(line)) {
      const [first = '', ...more] = pieces(line.startsWith('|') ? cellsOf(line).join(' | ') : wordsOf(line));
      const of = subjectOf(line);
      sentences.push({ section, of: null, text: first }, ...more.map((text) => ({ section, of, text })));
    }
  }
  return sentences;
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

/** A line without the sign of its list. */
function wordsOf(line: string): string {
  return line.trim().replace(/^(?:[-*]|\d+\.) /, '');
}

/** The first cell of a row, or what stands before the colon of a paragraph or an item, if that is short. */
function subjectOf(line: string): string | null {
  if (line.startsWith('|')) return cellsOf(line)[0] ?? null;
  return /^([^:.;`]{1,60}):/.exec(wordsOf(line).replaceAll('**', ''))?.[1] ?? null;
}

const OPENING = '([{';
const CLOSING = ')]}';

/** Cuts after a full stop or a semicolon that a space follows, outside brackets and code. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let isCode = false;
  let start = 0;
  for (const [at, sign] of [...text].entries()) {
    if (sign === '`') isCode = !isCode;
    else if (isCode) continue;
    else if (OPENING.includes(sign)) depth++;
    else if (CLOSING.includes(sign)) depth--;
    else if (depth === 0 && (sign === '.' || sign === ';') && text[at + 1] === ' ') {
      found.push(text.slice(start, at + 1).trim());
      start = at + 1;
    }
  }
  const rest = text.slice(start).trim();
  return rest === '' ? found : [...found, rest];
}
