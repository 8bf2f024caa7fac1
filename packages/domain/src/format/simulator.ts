/** What happens to mail for a simulator address. The local part determines it, as in `bounced+order7@`. */
export const simulatorEndings = ['delivered', 'bounced', 'deferred', 'complained', 'suppressed'] as const;

export type SimulatorEnding = (typeof simulatorEndings)[number];

/**
 * @param address the bare address, with its domain in lower case
 * @param domain SIMULATOR_DOMAIN
 * @returns null for an address at any other domain; `unknown` for a simulator address that does not exist
 */
export function findSimulatorEnding(address: string, domain: string): SimulatorEnding | 'unknown' | null {
  const at = address.length - domain.length - 1;
  if (address[at] !== '@' || !address.endsWith(domain)) return null;
  const local = address.slice(0, at).toLowerCase();
  const label = local.indexOf('+');
  const name = label === -1 ? local : local.slice(0, label);
  return simulatorEndings.find((ending) => ending === name) ?? 'unknown';
}
