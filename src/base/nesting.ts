/**
 * How deep JSON may be nested, in requests and in what backends send. JSON.parse takes any depth; JSON.stringify and
 * every recursive reader overflow the stack at a few thousand levels.
 */
export const NESTING_MAX = 256;
