/** Extracts programs from documents unchanged, so that what a README shows can be compiled and run. */

/** The first program in a Markdown text that is marked as `language`. Throws when there is none. */
export function programOf(markdown: string, language: string): string {
  const match = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(markdown);
  if (match?.[1] === undefined) throw new Error(`There is no program in ${language}.`);
  return match[1];
}
