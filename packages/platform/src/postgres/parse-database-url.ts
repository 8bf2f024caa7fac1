import { parseUrl } from '@posthorn/platform/network';
/** The servers that a DATABASE_URL names, in order. */
export type DatabaseServers = {
  /** One URL per host, without `target_session_attrs`. */
  readonly urls: readonly string[];
  /** Whether only a server that can be written to may be used (`target_session_attrs=read-write`). */
  readonly mustBeWritable: boolean;
};

const PARTS = /^(?<head>postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)(?<hosts>[^/?#]*)(?<tail>.*)$/;
const TARGET = 'target_session_attrs';

/**
 * Reads a URL that may name several hosts, as libpq does: `postgres://user:password@one:5432,two:5432/db`. A URL with
 * several hosts needs `target_session_attrs=read-write`, because only one of them can be written to.
 * @returns null if the URL is not valid
 */
export function parseDatabaseUrl(text: string): DatabaseServers | null {
  const { head, hosts, tail } = PARTS.exec(text)?.groups ?? {};
  if (head === undefined || hosts === undefined || tail === undefined) return null;
  const servers = hosts.split(',').map((host) => `${head}${host}${tail}`);
  if (servers.some((url) => parseUrl(url) === null)) return null;
  const [first] = servers;
  const target = new URL(first as string).searchParams.get(TARGET) ?? 'any';
  const mustBeWritable = target === 'read-write';
  if (!mustBeWritable && (target !== 'any' || servers.length > 1)) return null;
  return { urls: servers.map(withoutTarget), mustBeWritable };
}

function withoutTarget(text: string): string {
  if (!text.includes(TARGET)) return text;
  const url = new URL(text);
  url.searchParams.delete(TARGET);
  return url.href;
}
