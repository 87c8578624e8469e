/** CHANGELOG.md of a client: how the interface differs from the last release, as codegen/released.txt keeps it. */
import { breakingChanges } from '../hygiene/breaking.ts';
import type { Surface } from '../hygiene/surface.ts';

/** The text for a version. Without any difference it says that this is the first, or that nothing changed. */
export function changelogOf(version: string, earlier: Surface, now: Surface): string {
  const added = [...now.keys()].filter((place) => !earlier.has(place));
  const whole = added.filter((place) => !added.some((other) => other !== place && isPart(place, other)));
  const sections = [
    ['Breaking', breakingChanges(earlier, now).map(({ sentence }) => textOf(sentence))],
    ['Added', [...new Set(whole.map(textOf))]],
  ] as const;
  const written = sections.filter(([, lines]) => lines.length > 0);
  const body = written.map(([title, lines]) => `### ${title}\n\n${lines.map((line) => `- ${line}\n`).join('')}`);
  const same = 'The interface is that of the last released document.\n';
  return `# Changelog\n\n## ${version}\n\n${body.length > 0 ? body.join('\n') : same}`;
}

/** Whether it belongs to something that is new itself. */
function isPart(place: string, whole: string): boolean {
  return textOf(place).startsWith(`${textOf(whole)} `) || textOf(place).startsWith(`${textOf(whole)}/`);
}

/** Without the direction, which callers do not see. */
function textOf(line: string): string {
  return line.replace(/^(in|out) +#?/, '');
}
