/** Renders generated/specification/map.md and docs/understand/departures.md. */
import type { Departure, Departures, Extension } from './departures.ts';
import type { Proof } from './proofs.ts';
import { type Sentence, sectionOf } from './sentences.ts';

/** What stands in the pages. */
export interface MapParts extends Departures {
  readonly sentences: readonly Sentence[];
  readonly proofs: readonly Proof[];
}

/**
 * Whether a sentence asks for nothing: `marks.yaml` says so, or it says that something is not shown, announces what follows,
 * or points elsewhere.
 */
function isSilent({ id, text }: Sentence, nothing: MapParts['nothing']): boolean {
  return (
    id in nothing ||
    (/\bnot shown\b(?!: )[^|]*$|:$|: see [^;]*[.;]$|^see section|: see section|\*\* query:|response per/.test(text) &&
      !text.startsWith('executing |'))
  );
}

/** Every sentence with the checks and tests that prove it, and with its departures. */
export function mapPage(parts: MapParts): string {
  const { sentences, proofs, nothing } = parts;
  const proved = sentences.filter(({ id }) => proofs.some((proof) => proof.sentences.includes(id)));
  const silent = sentences.filter((sentence) => !proved.includes(sentence) && isSilent(sentence, nothing));
  const open = sentences.length - proved.length - silent.length;
  const sections = Map.groupBy(sentences, ({ id }) => sectionOf(id));
  const tables = [...sections].map(([section, all]) => {
    const rows = all.map((sentence) => rowOf(sentence, parts));
    return `## Section ${section}\n\n| id | sentence | proved by | departure |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  const checked = sentences.filter(({ id }) =>
    proofs.some(({ sentences: ids, isCheck }) => isCheck && ids.includes(id)),
  );
  return `${MAP_HEAD}
Of ${sentences.length} sentences, ${proved.length} name a check or a test that proves them: ${checked.length} a check of \`sluice conformance\`,
the others a test only. ${silent.length} ask for nothing: they announce what follows, permit a gap, or say that something is not shown. **${open} name none yet**;
their row says so.

${tables.join('\n')}`;
}

function rowOf(sentence: Sentence, { proofs, departures, choices, nothing }: MapParts): string {
  const { id, of, text } = sentence;
  const own = proofs.filter(({ sentences }) => sentences.includes(id)).map(shown);
  const departed = [...departures, ...choices].some((each) => each.sentence === id)
    ? `[yes](../../docs/understand/departures.md)`
    : '';
  const words = `${of === null ? '' : `*${of}:* `}${text}`;
  const unproved = isSilent(sentence, nothing) ? 'nothing to prove' : '**none named**';
  const proof = own.length > 0 ? own.join('<br>') : [unproved, nothing[id] ?? []].flat().join(': ');
  return `| ${id} | ${cell(words)} | ${cell(proof)} | ${departed} |`;
}

function shown({ file, name, isCheck }: Proof): string {
  return isCheck
    ? `check: ${name}`
    : `${file.replace(/^(?:contract-tests|src)\//, '').replace('.test.ts', '')}: ${name}`;
}

/** Text in a cell of a table: pipes, angle brackets and braces of templates mean nothing there. */
function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll(/<(?!br>)/g, '&lt;')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const MAP_HEAD = `# The specification, sentence by sentence

Which check of [\`sluice conformance\`](../../docs/buy/conformance.md) or which test proves a sentence of [the specification](../../docs/specification.md), and
where [this gateway departs from it](../../docs/understand/departures.md). An id is the section and a running number. A row of a table, or a part of a sentence
that a semicolon ends, has an id of its own; what it is about stands before it in italics.

Written by \`npm run generate\` from the specification, whose words it does not change, and from marks: the first argument of a check, and
a comment \`// Spec 4.2-7\` above a test. A sentence that changes keeps its place and gets a new id, so no mark points to other words.
`;

/** Where this gateway goes beyond or departs from the specification. */
export function departuresPage({ sentences, departures, extensions, choices }: MapParts): string {
  const words = new Map(sentences.map(({ id, of, text }) => [id, `${of === null ? '' : `*${of}:* `}${text}`]));
  const rows = (marked: readonly Departure[]) =>
    marked.map(
      ({ sentence, what, where }) =>
        `| ${sentence} | ${beginning(cell(words.get(sentence) ?? ''))} | ${cell(where ? `${what} (\`${where}\`)` : what)} |`,
    );
  const parts = KINDS.map(([kind, title]) => {
    const own = extensions.filter((extension) => extension.kind === kind);
    if (own.length === 0) return '';
    const lines = linesOf(kind, own);
    return `### ${title}\n\n${lines.join('\n')}\n`;
  });
  return `${DEPARTURES_HEAD}
## Departures

| sentence | the specification | this gateway |
|---|---|---|
${rows(departures).join('\n')}

## Extensions

A caller who sends only what the specification has sees none of them, except additional fields in answers. The reference at
\`/docs/reference\` describes them.

${parts.filter(Boolean).join('\n')}
## Where the specification does not say

| sentence | the specification | this gateway |
|---|---|---|
${rows(choices).join('\n')}
`;
}

const KINDS = [
  ['operation', 'Operations'],
  ['parameter', 'Parameters and headers'],
  ['field', 'Fields and objects'],
  ['setting', 'Settings of the operator that change what callers get'],
  ['other', 'Everything else'],
] as const;

function linesOf(kind: Extension['kind'], own: readonly Extension[]): string[] {
  if (kind === 'field') return fieldLines(own);
  return kind === 'operation' || kind === 'parameter' ? [namesOf(own)] : own.map(extensionLine);
}

/** Operations or parameters by name: what they mean is in the reference. */
function namesOf(extensions: readonly Extension[]): string {
  return `${extensions.map(({ name }) => `\`${name}\``).join(', ')}.`;
}

/** The fields of each schema by name: what they mean is in the reference. */
function fieldLines(fields: readonly Extension[]): string[] {
  const bySchema = Map.groupBy(fields, ({ name }) => name.split(' of ')[1] ?? 'schemas');
  return [...bySchema].map(([schema, own]) => {
    return `- ${schema}: ${own.map(({ name }) => `\`${name.split(' of ')[0]}\``).join(', ')}`;
  });
}

function extensionLine({ name, what, kind }: Extension): string {
  return `- ${kind === 'other' ? name : `\`${name}\``}: ${what.trim().replaceAll(/\s+/g, ' ')}`;
}

/** Enough of a sentence to know it again; the map has all of it. */
function beginning(sentence: string): string {
  if (sentence.length <= QUOTED_MAX) return sentence;
  const cut = sentence.slice(0, sentence.lastIndexOf(' ', QUOTED_MAX));
  return `${cut.replace(/(?:\\?\||[,;:(])$/, '').trim()} …`;
}

const QUOTED_MAX = 36;

const DEPARTURES_HEAD = `# Where this gateway goes beyond or departs from the specification

A client that relies on nothing here works with any gateway of [the specification](../specification.md). The ids lead to whole sentences in
[the map](../../generated/specification/map.md).

\`npm run generate\` writes this page from marks beside the things: \`x-extension\` and \`x-departure\` in \`openapi/\` and
\`src/config/schema.yaml\`, and \`codegen/specification/marks.yaml\`.
`;
