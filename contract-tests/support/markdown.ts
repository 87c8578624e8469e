/** The fenced blocks of a document, and the commands in its sentences. */

/** Something that a document shows. */
export interface Shown {
  /** Where, for people: `README.md:25`. */
  readonly place: string;
  /** As the fence names it; `sentence` for a command between backquotes. */
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
