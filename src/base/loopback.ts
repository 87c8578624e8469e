/** Whether only this machine can reach `host`: a name or an address as in a configuration or a Host header. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
