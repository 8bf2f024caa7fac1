import { type Judgment, verified, wrong } from './finding.js';

/** @param values `<priority> <host>`; bounces go to the host of the lowest priority (RFC 5321, 5.1) */
export function judgeMx(wanted: string, values: readonly string[]): Judgment {
  const hosts = values.map((value) => {
    const [priority = '', host = ''] = value.split(' ');
    return { priority: Number(priority), host: host.toLowerCase().replace(/\.$/, '') };
  });
  const ours = hosts.find(({ host }) => host === wanted);
  if (!ours) return wrong(`It leads to another host; it must be ${wanted}.`);
  const isFirst = hosts.every(({ priority }) => priority >= ours.priority);
  return isFirst ? verified : wrong('Another host comes first; remove it, or give ours the lowest priority.');
}
