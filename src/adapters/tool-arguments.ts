/** The arguments of a call as text, whole. Those that the model left out are an empty object: clients parse what they get. */
export function wholeArguments(text: string): string {
  return text === '' ? '{}' : text;
}
