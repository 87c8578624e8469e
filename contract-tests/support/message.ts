/** Bodies of Messages requests. */

/** A good request to the market `tide`, changed by `fields`; a field that is undefined is left out. */
export function message(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model: 'tide', max_tokens: 64, messages: [user('Say hello.')], max_price: 5, ...fields };
}

/** A user's turn. */
export function user(content: unknown): object {
  return { role: 'user', content };
}

/** A tool as this shape has it. */
export const LOOK = {
  name: 'look',
  description: 'Looks at a place.',
  input_schema: { type: 'object', properties: { at: { type: 'string' } } },
};
