import { type Evaluation, verified, wrong } from '../domain/finding.js';

/** @param values `<priority> <host>`; bounces go to the host of the lowest priority, and to any of several (RFC 5321, 5.1) */
export function evaluateMx(wanted: string, values: readonly string[]): Evaluation {
  const hosts = values.map((value) => {
    const [priority = '', host = ''] = value.split(' ');
    return { priority: Number(priority), host: host.toLowerCase().replace(/\.$/, '') };
  });
  // They come with the lowest priority first.
  const ours = hosts.find(({ host }) => host === wanted);
  if (!ours) return wrong(`It leads to another host; it must be ${wanted}.`);
  const others = hosts.filter(({ host }) => host !== wanted);
  if (others.some(({ priority }) => priority < ours.priority)) {
    return wrong('Another host comes first; remove it, or give ours the lowest priority.');
  }
  return others.some(({ priority }) => priority === ours.priority)
    ? wrong('Another host has the same priority, so it gets half of the bounces; remove it, or give ours a lower one.')
    : verified;
}
