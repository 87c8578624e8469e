/**
 * Reads the types of unions.ts, which is written in a small part of TypeScript: aliases and interfaces of objects, lists,
 * literals and plain types. Text that is not of this part is an error.
 */

/** A type: a name, a literal, a list, an object, any object, or one of several. */
export type Type =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'list'; readonly of: Type }
  | { readonly kind: 'object'; readonly fields: readonly Field[] }
  | { readonly kind: 'map' }
  | { readonly kind: 'union'; readonly of: readonly Type[] };

/** A field of an object. */
export interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly type: Type;
}

/** An exported type, and its comment. */
export interface Declaration {
  readonly name: string;
  readonly comment: string;
  readonly type: Type;
}

/** The exported types of a source, in order. Throws with the place of what it does not know. */
export function readTypes(source: string): Declaration[] {
  const declared = source.matchAll(
    /\/\*\* ([^*]*) \*\/\n(?:\/\/.*\n)?export (?:type (\w+) =|interface (\w+))([\s\S]*?)(?=\n\n|$)/g,
  );
  return Array.from(declared, ([, comment = '', alias, named, text = '']) => {
    const tokens = new Tokens(text);
    return { name: alias ?? named ?? '', comment, type: alias ? unionOf(tokens) : primaryOf(tokens) };
  });
}

class Tokens {
  readonly #words: string[];

  constructor(text: string) {
    this.#words = text.match(/'[^']*'|\w+|\[\]|[^\s\w]/g) ?? [];
  }

  take(word: string): boolean {
    if (this.#words[0] !== word) return false;
    this.#words.shift();
    return true;
  }

  need(word: string): void {
    if (!this.take(word)) throw new Error(`Expected "${word}" before "${this.#words.slice(0, 8).join(' ')}".`);
  }

  next(): string {
    return this.#words.shift() ?? '';
  }
}

function unionOf(tokens: Tokens): Type {
  tokens.take('|');
  const of = [listOf(tokens)];
  while (tokens.take('|')) of.push(listOf(tokens));
  const [only] = of;
  return only && of.length === 1 ? only : { kind: 'union', of };
}

function listOf(tokens: Tokens): Type {
  let type = primaryOf(tokens);
  while (tokens.take('[]')) type = { kind: 'list', of: type };
  return type;
}

function primaryOf(tokens: Tokens): Type {
  if (tokens.take('(')) {
    const type = unionOf(tokens);
    tokens.need(')');
    return type;
  }
  if (tokens.take('[')) {
    const of = unionOf(tokens);
    tokens.need(']');
    return { kind: 'list', of };
  }
  if (tokens.take('{')) return objectOf(tokens);
  const text = tokens.next();
  if (text.startsWith("'")) return { kind: 'literal', text: text.slice(1, -1) };
  if (!/^\w+$/.test(text)) throw new Error(`"${text}" is no type.`);
  return { kind: 'name', text };
}

function objectOf(tokens: Tokens): Type {
  const fields: Field[] = [];
  while (!tokens.take('}')) {
    const name = tokens.next();
    if (name === '[') {
      while (tokens.next() !== '}');
      return { kind: 'map' };
    }
    const optional = tokens.take('?');
    tokens.need(':');
    fields.push({ name, optional, type: unionOf(tokens) });
    tokens.take(';');
  }
  return { kind: 'object', fields };
}
