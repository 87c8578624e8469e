/**
 * The few shapes that the pictures of docs/pictures/ are made of. Colors follow what the reader prefers, light or dark; the
 * ground is part of the picture, so it is legible on any page.
 */

/** The colors by meaning, as in console/src/style.css: light, then dark. */
const TONES = {
  ground: ['#ffffff', '#171c1e'],
  line: ['#c9d0d2', '#39434a'],
  soft: ['#e4e9ea', '#2a3236'],
  ink: ['#16191a', '#e6eaeb'],
  faint: ['#5a6467', '#98a4a8'],
  accent: ['#0b6e75', '#4cc2c9'],
  rise: ['#116b3a', '#55c486'],
  fall: ['#a3303d', '#f08a93'],
} as const;

/** A color by its meaning. */
export type Tone = keyof typeof TONES;

/** The width of every picture. */
export const WIDTH = 860;

/** A whole picture; `title` is what a screen reader says. */
export function svg(height: number, title: string, shapes: readonly string[]): string {
  const colors = (at: 0 | 1) =>
    Object.entries(TONES)
      .map(([tone, values]) => `--${tone}:${values[at]}`)
      .join(';');
  const classes = Object.keys(TONES).map((tone) => `.${tone}{fill:var(--${tone})}.s-${tone}{stroke:var(--${tone})}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="14">`,
    `<title>${escaped(title)}</title>`,
    `<style>svg{${colors(0)}}@media(prefers-color-scheme:dark){svg{${colors(1)}}}${classes.join('')}.none{fill:none}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="faint" d="M0 0L8 4L0 8z"/></marker></defs>',
    `<rect class="ground s-line" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`,
    ...shapes,
    '</svg>',
    '',
  ].join('\n');
}

/** How words are written. */
export interface Writing {
  readonly tone?: Tone;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly size?: number;
  readonly bold?: boolean;
  readonly mono?: boolean;
}

/** Words on the baseline `y`. */
export function words(x: number, y: number, text: string, writing: Writing = {}): string {
  const { tone = 'ink', anchor = 'start', size = 14, bold = false, mono = false } = writing;
  const more = `${bold ? ' font-weight="600"' : ''}${mono ? ' font-family="ui-monospace, monospace"' : ''}`;
  return `<text class="${tone}" x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}"${more}>${escaped(text)}</text>`;
}

/** A filled bar. */
export function bar(x: number, y: number, size: readonly [width: number, height: number], tone: Tone): string {
  return `<rect class="${tone}" x="${x}" y="${y}" width="${size[0]}" height="${size[1]}" rx="2"/>`;
}

/** A box with a bold first line and faint ones below it. */
export function box(x: number, y: number, width: number, lines: readonly string[]): string {
  const height = 22 + lines.length * 18;
  return [
    `<rect class="none s-accent" x="${x}" y="${y}" width="${width}" height="${height}" rx="6" stroke-width="1.5"/>`,
    ...lines.map((line, at) =>
      words(x + width / 2, y + 26 + at * 18, line, {
        anchor: 'middle',
        ...(at === 0 ? { bold: true } : { tone: 'faint', size: 12.5 }),
      }),
    ),
  ].join('\n');
}

/** An arrow along points such as `10,20 10,40`. */
export function arrow(points: string): string {
  return `<polyline class="none s-faint" points="${points}" stroke-width="1.5" marker-end="url(#tip)"/>`;
}

/** A line; broken when `dashed`. */
export function line(
  from: readonly [number, number],
  to: readonly [number, number],
  tone: Tone,
  dashed = false,
): string {
  const dashes = dashed ? ' stroke-dasharray="4 4"' : '';
  return `<line class="s-${tone}" x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}" stroke-width="1.5"${dashes}/>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
