/**
 * One word, one thing, as far as a program can check it: the glossary has each word once, only one file of the product
 * exports a name, a word of the glossary names a type only at its home, and retired words do not return.
 */
import { isProduct } from './rules.ts';
import { type Finding, fault, isTest, lineAt, placeOf, type SourceFile, withoutComments } from './source.ts';

/** The place of types and classes named by a single word of the glossary, by the section of the word. */
const sectionHomes: Readonly<Record<string, string>> = {
  Market: 'market',
  Orders: 'orders',
  Batches: 'batches',
  Pods: 'pods',
  Money: 'ledger',
  'Access and limits': 'access',
  Keeping: 'storage',
};

/** Words with another home than the rest of their section. */
const wordHomes: Readonly<Record<string, string>> = {
  'console member': 'access',
  customer: 'orders',
  fault: 'base',
  generation: 'results',
  'generation event': 'results',
  'member session': 'access',
  'one-time link': 'accounts',
  result: 'results',
  'wire shape': 'adapters',
};

/** Folders whose files say the same things about different subjects, and so the same names by design. */
const twinFolders: readonly string[] = [
  'src/adapters/chat/',
  'src/adapters/completion/',
  'src/adapters/messages/',
  'src/adapters/responses/',
  'src/storage/database/migrations/',
];

/** Retired words with their replacements. None may return in the name of an export or a file. */
export const retiredWords: Readonly<Record<string, string>> = {
  desk: 'order service',
  'waiting room': 'pending orders',
  till: 'balance batch',
  purse: 'account balance',
  treasury: 'transfers',
  gate: 'authenticator',
  turns: 'semaphore, fair queue',
  'fan out': 'broadcaster, line submitter',
  placement: 'output writer',
  'sure claims': 'reliable capacity',
  'spare memory': 'buffer pool',
  office: 'test operator',
  wares: 'test config',
  shop: 'sdk gateway',
  workshop: 'sdk build',
  strays: 'undocumented fields',
};

/** An exported name or a word of the glossary, and where it is declared. */
interface Declaration {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

interface Term extends Declaration {
  readonly section: string;
}

/** All findings about the names in these files; `glossary` is docs/change/glossary.md. */
export function checkNames(files: readonly SourceFile[], glossary: SourceFile): Finding[] {
  const terms = termsOf(glossary);
  const exported = files.filter(({ path }) => !isTest(path)).flatMap(exportsOf);
  const owned = exported.filter(({ path }) => isProduct(placeOf(path)));
  return [
    ...again(terms).map((term) => fault(term.path, term.line, `explains ${term.name} a second time`)),
    ...checkTwice(owned),
    ...checkHomes(owned, terms),
    ...checkRetired([...files.map(({ path }) => ({ path, line: 1, name: fileNameOf(path) })), ...exported]),
  ];
}

/** A name that an earlier file also exports. Files of twin folders are exempt: they share names by design. */
function checkTwice(exported: readonly Declaration[]): Finding[] {
  const single = exported.filter(({ path }) => !twinFolders.some((folder) => path.startsWith(folder)));
  return again(single).map(({ path, line, name }) => {
    const first = single.find((one) => one.name === name)?.path;
    return fault(path, line, `exports ${name}, and so does ${first}: one name, one thing`);
  });
}

/** A name that is a word of the glossary, away from home. */
function checkHomes(exported: readonly Declaration[], terms: readonly Term[]): Finding[] {
  const homes = new Map(terms.map((term) => [typeNameOf(term.name), homeOf(term)]));
  return exported.flatMap(({ path, line, name }) => {
    const home = homes.get(name);
    if (home === undefined || placeOf(path) === home) return [];
    return [fault(path, line, `exports ${name}, a word that the glossary keeps for ${home}: say which`)];
  });
}

function homeOf({ name, section }: Term): string {
  return wordHomes[name] ?? sectionHomes[section] ?? `a section that has no home, ${section}`;
}

function checkRetired(named: readonly Declaration[]): Finding[] {
  return named.flatMap(({ path, line, name }) => {
    const spoken = ` ${wordsOf(name).join(' ')} `;
    const retired = Object.keys(retiredWords).find((word) => spoken.includes(` ${word} `));
    return retired ? [fault(path, line, `is called ${name}: instead of ${retired} say ${retiredWords[retired]}`)] : [];
  });
}

/** Declarations with the name of an earlier one in another file or line. Overloads of one file count once. */
function again<Named extends Declaration>(declarations: readonly Named[]): Named[] {
  const first = new Map<string, Named>();
  return declarations.filter((one) => {
    const before = first.get(one.name);
    first.set(one.name, before ?? one);
    return before !== undefined;
  });
}

function exportsOf({ path, text }: SourceFile): Declaration[] {
  const code = withoutComments(text);
  const pattern = /^export (?:declare |abstract |async )*(?:type|interface|class|const|let|function\*?) (\w+)/gm;
  const declared = [...code.matchAll(pattern)].map((match) => ({
    path,
    line: lineAt(code, match.index),
    name: match[1] ?? '',
  }));
  return declared.filter((one) => declared.find(({ name }) => name === one.name) === one);
}

/** The words of the glossary: in bold at the start of a line, several with commas between them. */
function termsOf({ path, text }: SourceFile): Term[] {
  let section = '';
  return text.split('\n').flatMap((content, index) => {
    section = /^## (.*)/.exec(content)?.[1] ?? section;
    const words = /^- \*\*([^*]+)\*\*: /.exec(content)?.[1];
    return (words?.split(', ') ?? []).map((name) => ({ path, line: index + 1, name, section }));
  });
}

/** The type name of `price limit`: `PriceLimit`. */
function typeNameOf(term: string): string {
  return term.replace(/(?:^|[ -])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `fan-out.ts`, `FanOut` and `FAN_OUT` as words: fan, out. */
function wordsOf(name: string): string[] {
  const parted = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
  return parted.toLowerCase().split(/[^a-z0-9]+/);
}

function fileNameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}
