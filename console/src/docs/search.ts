/** Finds parts of pages: the list of all parts, once it is loaded, and the best of them for some words. */
import MiniSearch, { type SearchResult } from 'minisearch';

/** A part of a page below one heading, as generated/docs/search.json has them. */
export interface Section {
  /** The address of the heading. */
  readonly at: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** A part that was found, with the words of it that match, in lower case. */
export interface Hit {
  readonly section: Section;
  readonly words: readonly string[];
}

/** How many parts a search shows. */
const HITS_MAX = 20;
/** How many of them are of one page, so that a long page does not hide the others. */
const OF_PAGE_MAX = 3;
/** Words of questions, which say nothing of the subject. */
const COMMON = new Set(
  'a an and are can do does for how i in is it my of on the to what when where which with'.split(' '),
);
/** Pages that most readers look for last (the index, reasons, the contract, the code), and what a match in them counts. */
const LATE: readonly (readonly [RegExp, number])[] = [
  [/^\/docs(#|$|\/(decisions|specification|understand\/departures))/, 0.3],
  [/^\/docs\/sell\/(threat-model|simulated-pods)/, 0.6],
  [/^\/docs\/(change\/|understand\/(?!faq))/, 0.8],
];

/** An index of these parts. Parts with more of the words come first, then better ones; a heading counts more than the text below it. */
export function indexOf(sections: readonly Section[]): (query: string) => Hit[] {
  const index = new MiniSearch({
    fields: ['heading', 'page', 'text'],
    tokenize: wordsOf,
    searchOptions: {
      boost: { heading: 4, page: 3 },
      boostDocument: (id) => LATE.find(([pages]) => pages.test(sections[id]?.at ?? ''))?.[1] ?? 1,
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      processTerm: (term) => (COMMON.has(term.toLowerCase()) ? null : term.toLowerCase()),
    },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return (query) => {
    const shown = new Map<string, number>();
    const found = index.search(query).sort((one, other) => other.queryTerms.length - one.queryTerms.length);
    const hits = found.flatMap(({ id, terms }: SearchResult) => {
      const section = sections[id];
      if (!section) return [];
      const before = shown.get(section.page) ?? 0;
      shown.set(section.page, before + 1);
      return before < OF_PAGE_MAX ? [{ section, words: terms }] : [];
    });
    return hits.slice(0, HITS_MAX);
  };
}

/** The words of a text; a name such as `price_limit` counts as a whole and by its parts. */
function wordsOf(text: string): string[] {
  return [...text.split(/[\s\p{P}]+/u), ...(text.match(/\w+_\w+/g) ?? [])].filter(Boolean);
}
