/** The words of the specification's sentences, for those who read what failed. */
import index from '#generated/specification/sentences.json' with { type: 'json' };

/** A sentence by its id, preceded by its subject. */
export interface SpecifiedSentence {
  readonly id: string;
  readonly text: string;
}

const byId = new Map(index.map(({ id, of, text }) => [id, of === null ? text : `${of}: ${text}`]));

/** The sentence with this id. Throws for one that does not exist. */
export function specified(id: string): SpecifiedSentence {
  const text = byId.get(id);
  if (text === undefined) throw new Error(`The specification has no sentence ${id}.`);
  return { id, text };
}
