import { type RateEvaluation, verified, wrong } from '../domain/finding.js';

/**
 * Bounces go to the host with the lowest priority value. If several hosts share that value, bounces go to any of them
 * (RFC 5321, 5.1).
 * @param values in the form `<priority> <host>`, lowest priority first
 */
export function evaluateMx(expected: string, values: readonly string[]): RateEvaluation {
  const hosts = values.map((value) => {
    const [priority = '', host = ''] = value.split(' ');
    return { priority: Number(priority), host: host.toLowerCase().replace(/\.$/, '') };
  });
  const ours = hosts.find(({ host }) => host === expected);
  if (!ours) return wrong(`It points to a different host. Change it to ${expected}.`);
  const others = hosts.filter(({ host }) => host !== expected);
  if (others.some(({ priority }) => priority < ours.priority)) {
    return wrong('Another host comes first. Remove it, or give ours the lowest priority value.');
  }
  return others.some(({ priority }) => priority === ours.priority)
    ? wrong(
        'Another host has the same priority, so it gets some of the bounces. Remove it, or give ours a lower value.',
      )
    : verified;
}
