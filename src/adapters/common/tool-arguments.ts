/** The complete arguments of a call as text; `{}` for a call without arguments, because clients parse them. */
export function wholeArguments(text: string): string {
  return text === '' ? '{}' : text;
}
