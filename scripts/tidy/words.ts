/**
 * One word, one thing: where the words of docs/glossary.md are at home in the code, and which words are retired.
 * `names.ts` checks exported names against these tables.
 */

/** The place of types and classes named by a single word of the glossary, by the section of the word. */
export const sectionHomes: Readonly<Record<string, string>> = {
  Market: 'market',
  Orders: 'orders',
  Batches: 'batches',
  Pods: 'pods',
  Money: 'ledger',
  'Access and limits': 'access',
  Keeping: 'storage',
};

/** Words with another home than the rest of their section. */
export const wordHomes: Readonly<Record<string, string>> = {
  authenticator: 'accounts',
  'buffer pool': 'handlers',
  'console member': 'access',
  customer: 'orders',
  fault: 'base',
  generation: 'results',
  'generation event': 'results',
  'member session': 'access',
  'one-time link': 'accounts',
  'request context': 'http',
  result: 'results',
  semaphore: 'base',
  'wire shape': 'adapters',
};

/** Folders whose files say the same things about different subjects, and so export the same names by design. */
export const twinFolders: readonly string[] = [
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
