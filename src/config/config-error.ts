/** An invalid setting. The message is a complete sentence for the operator. */
export class ConfigError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'ConfigError';
  }
}
