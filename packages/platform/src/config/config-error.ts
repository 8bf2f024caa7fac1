/** Lists everything that is wrong with the environment, one line per variable. */
export class ConfigError extends Error {
  override name = 'ConfigError';

  constructor(readonly faults: readonly string[]) {
    super(`The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}
