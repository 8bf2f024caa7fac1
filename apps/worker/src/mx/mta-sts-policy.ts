import { toHostName } from './host-name.js';

/** A policy as its domain publishes it (RFC 8461, 3.2). */
export type PublishedPolicy = {
  readonly mode: 'enforce' | 'testing' | 'none';
  /** Names of MX hosts, with A-labels and in lower case. One may begin with `*.`. */
  readonly mx: readonly string[];
  readonly maxAgeSeconds: number;
};

/** RFC 8461, 3.2 */
const MAX_AGE_SECONDS = 31_557_600;

const FIELD_NAME = '[A-Za-z0-9][A-Za-z0-9_.-]{0,31}';
const TXT_FIELD = new RegExp(`^${FIELD_NAME}=[!-:<>-~]+$`);
const POLICY_LINE = new RegExp(`^(${FIELD_NAME}):[ \\t]*(.*)$`);
const MX_PATTERN = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;

/**
 * @param values of the TXT records of `_mta-sts.<domain>`
 * @returns the id of the policy, or null if there is no policy: there must be exactly one record of MTA-STS, and it must
 *   be valid (RFC 8461, 3.1)
 */
export function findPolicyId(values: readonly string[]): string | null {
  const [record, ...others] = values.filter((value) => /^v=STSv1[ \t]*;/.test(value));
  if (record === undefined || others.length > 0) return null;
  const [, ...fields] = record.split(';').map((field) => field.replace(/^[ \t]+|[ \t]+$/g, ''));
  if (fields.at(-1) === '') fields.pop();
  if (!fields.every((field) => TXT_FIELD.test(field))) return null;
  const id = fields.find((field) => field.startsWith('id='))?.slice('id='.length);
  return id !== undefined && /^[A-Za-z0-9]{1,32}$/.test(id) ? id : null;
}

/**
 * Reads a policy by the grammar of RFC 8461, 3.2, but allows empty lines and more than ten digits of `max_age`. Of a key
 * that may appear once, the first line counts. Unknown keys are skipped.
 * @returns null if the policy is not valid
 */
export function parsePolicy(text: string): PublishedPolicy | null {
  const fields = parseLines(text);
  if (fields === null) return null;
  const find = (key: string) => fields.find(([name]) => name === key)?.[1];
  const [version, mode, maxAge = ''] = [find('version'), find('mode'), find('max_age')];
  if (version !== 'STSv1' || !isMode(mode) || !/^\d+$/.test(maxAge)) return null;
  const mx = fields.flatMap(([name, value]) => (name === 'mx' ? [value.toLowerCase()] : []));
  if (mx.some((pattern) => !MX_PATTERN.test(pattern)) || (mx.length === 0 && mode !== 'none')) return null;
  return { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), MAX_AGE_SECONDS) };
}

function parseLines(text: string): ReadonlyArray<readonly [name: string, value: string]> | null {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .map((line) => POLICY_LINE.exec(line));
  if (lines.includes(null)) return null;
  return lines.map((line) => [line?.[1] ?? '', line?.[2] ?? '']);
}

function isMode(text: string | undefined): text is PublishedPolicy['mode'] {
  return text === 'enforce' || text === 'testing' || text === 'none';
}

/** Whether a policy allows an MX host. `*.` stands for exactly one label (RFC 8461, 4.1). */
export function matchesPolicy(host: string, { mx }: Pick<PublishedPolicy, 'mx'>): boolean {
  const name = toHostName(host);
  if (name === null) return false;
  const parent = name.replace(/^[^.]+\./, '');
  return mx.includes(name) || (parent !== name && mx.includes(`*.${parent}`));
}
