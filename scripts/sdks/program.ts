/** Extracts programs from documents unchanged, so that what a README shows can be compiled and run. */

/** The first program in a Markdown text that is marked as `language` and has `word` in it. Throws when there is none. */
export function programOf(markdown: string, language: string, word = ''): string {
  const programs = markdown.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'));
  const found = [...programs].map(([, text = '']) => text).find((text) => text.includes(word));
  if (found === undefined) throw new Error(`There is no program in ${language}${word && ` with ${word}`}.`);
  return found;
}
