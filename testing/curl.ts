/** The calls that the pages show, sent as a reader who copies them would. */

/** Sends what a curl command says. */
export function ran(command: string): Promise<Response> {
  const [, url = ''] = /^curl (\S+)/.exec(command) ?? [];
  const headers = [...command.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ]);
  const [, body = ''] = /-d '([^']+)'$/.exec(command) ?? [];
  return fetch(url, { method: 'POST', headers, body });
}
