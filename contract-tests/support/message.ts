/** Bodies of Messages requests. */

/** A valid request to the market `tide`, changed by `fields`; undefined fields are omitted. */
export function message(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model: 'tide', max_tokens: 64, messages: [user('Say hello.')], max_price: 5, ...fields };
}

/** A user's turn. */
export function user(content: unknown): object {
  return { role: 'user', content };
}

/** A tool in this shape. */
export const LOOK = {
  name: 'look',
  description: 'Looks at a place.',
  input_schema: { type: 'object', properties: { at: { type: 'string' } } },
};
