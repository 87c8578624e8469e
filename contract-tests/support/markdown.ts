/** What a Markdown document shows: its fenced blocks, the commands in its sentences, its links and headings. */

/** One thing that a document shows. */
export interface Shown {
  /** Its place, for readers: `README.md:25`. */
  readonly place: string;
  /** The language of the fence; `sentence` for a command between backquotes. */
  readonly language: string;
  readonly text: string;
}

/** Every fenced block of a Markdown text, and every command in backquotes that begins with `curl`. */
export function shownIn(file: string, text: string): Shown[] {
  const at = (index: number) => `${file}:${text.slice(0, index).split('\n').length}`;
  const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ({ index, 1: language = '', 2: block = '' }) => {
      return { place: at(index), language, text: block };
    },
  );
  const sentences = [...text.matchAll(/`(curl [^`\n]+)`/g)].map(({ index, 1: command = '' }) => {
    return { place: at(index), language: 'sentence', text: command };
  });
  return [...blocks, ...sentences];
}

/** A link to a file of the repository, relative to the document; an empty target is the document itself. */
export interface Link {
  readonly target: string;
  readonly anchor: string;
}

/** Every link and picture of a Markdown text that does not lead out of the repository. */
export function linksOf(text: string): Link[] {
  const links = text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g);
  return Array.from(links, ([, target = '', anchor = '']) => ({ target, anchor }));
}

/** The anchors of a text's headings, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
  const headings = text.matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = '']) => {
    const letters = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, '');
    return letters.replaceAll(' ', '-');
  });
}
