/**
 * Words that make readers stop, and what to write instead. They are looked for where people read: in documents, comments,
 * texts between quotes (messages, help, test names), pages and descriptions of the interface. Code is not prose.
 */
import { retiredWords } from './names.ts';
import { type Finding, fault, lineAt, type SourceFile } from './source.ts';

/** A word that does not return, and what to write instead. */
interface RetiredProse {
  readonly pattern: RegExp;
  readonly instead: string;
}

const retired: readonly RetiredProse[] = [
  { pattern: /\bwhoever\b/gi, instead: 'name them: the caller, the operator, the reader' },
  { pattern: /\banew\b/gi, instead: 'say again, or new' },
  {
    pattern: /(?<!\b(?:none|each|all|both|one|some|any|first|last|end|part) )\bof which\b/gi,
    instead: 'write a second sentence',
  },
  { pattern: /\b(?:told|tells)\b(?! (?:\w+ )?apart)/gi, instead: 'say who notifies, reports, answers or shows' },
  { pattern: /\bwants\b/gi, instead: 'say needs, requires or asks for' },
  { pattern: /\bvoices?\b/gi, instead: 'say what counts' },
  { pattern: /\bhears?\b/gi, instead: 'say receives or learns' },
  { pattern: /\bcomes? of age\b/gi, instead: 'say how old it must be' },
  { pattern: /\bnot let in\b/gi, instead: 'say refused' },
  { pattern: /\b(?:what|whatever) becomes? of\b|\bwhat became of\b/gi, instead: 'say outcome, status or timeline' },
  { pattern: /\bfor want of\b|\blest\b/gi, instead: 'say without, or so that' },
];

/** Retired names that are also words of everyday English, which prose may use. */
const EVERYDAY = ['gate', 'office', 'placement', 'shop', 'strays', 'till', 'turns'];
const names: readonly RetiredProse[] = Object.entries(retiredWords)
  .filter(([name]) => !EVERYDAY.includes(name))
  .map(([name, instead]) => ({ pattern: new RegExp(`\\b${name}\\b`, 'gi'), instead: `say ${instead}` }));

/** Texts that are quoted: the contract, samples whose tokens were counted, and the words themselves. */
const QUOTED = /^(docs\/specification\.md|testing\/token-samples\.ts|scripts\/tidy\/)/;

/** Retired words in the prose of these files. */
export function checkProse(files: readonly SourceFile[]): Finding[] {
  const checked = files.filter(({ path }) => !QUOTED.test(path));
  return checked.flatMap((file) => {
    const prose = proseOf(file);
    return [...retired, ...names].flatMap(({ pattern, instead }) =>
      Array.from(prose.matchAll(pattern), ({ 0: found, index }) =>
        fault(file.path, lineAt(prose, index), `says ${found.toLowerCase()}: ${instead}`),
      ),
    );
  });
}

/** The text of a file with everything blanked that is not prose, so that lines stay. */
function proseOf({ path, text }: SourceFile): string {
  if (path.endsWith('.md')) return blanked(text, /^```[\s\S]*?^```|`[^`\n]*`|\]\([^)]*\)/gm);
  if (path.endsWith('.yaml')) return text;
  const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|>[^<>{}=;]*</g;
  let at = 0;
  let prose = '';
  for (const { 0: found, index } of text.matchAll(token)) {
    const isProse = /^[/>]/.test(found) || found.includes(' ');
    prose += blank(text.slice(at, index)) + (isProse ? found.replace(/\$\{[^}]*\}/g, blank) : blank(found));
    at = index + found.length;
  }
  return prose;
}

function blanked(text: string, pattern: RegExp): string {
  return text.replace(pattern, blank);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
