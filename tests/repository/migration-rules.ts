import type { Migration } from '@posthorn/platform/postgres';

/** Why a statement may not be part of a migration. */
type Rule = {
  /**
   * `old versions`: processes of the previous version may need what it removes. `others`: others wait while it runs.
   */
  readonly harms: 'old versions' | 'others';
  readonly pattern: RegExp;
  readonly fault: string;
};

const CONSTRAINT = /\b(unique|primary key|references|foreign key|check|exclude)\b(?!.*\bnot valid$)/;
const VOLATILE =
  /\b(gen_random_uuid|uuidv7|random|clock_timestamp|nextval|timeofday)\(|\b(small|big)?serial\b|\bgenerated\b/;

/** For a whole statement. */
const STATEMENT_RULES: readonly Rule[] = [
  { harms: 'old versions', pattern: /^drop\b/, fault: 'drops something' },
  { harms: 'old versions', pattern: /^alter .*\brename\b/, fault: 'renames something' },
  { harms: 'others', pattern: /^create (unique )?index\b/, fault: 'builds an index while writers wait; use `indexes`' },
  { harms: 'others', pattern: /^(update|delete|with)\b/, fault: 'changes stored rows at once; use `backfill`' },
  { harms: 'others', pattern: /^(truncate|lock|cluster|vacuum|reindex)\b/, fault: 'locks a table' },
  { harms: 'others', pattern: /^do\b/, fault: 'hides its statements in a block' },
];

/** For each change of an ALTER TABLE. */
const CHANGE_RULES: readonly Rule[] = [
  { harms: 'old versions', pattern: /^drop (?!expression)|^alter .*\bdrop default$/, fault: 'drops something' },
  { harms: 'old versions', pattern: /^alter .*\bset not null$/, fault: 'forbids null' },
  { harms: 'old versions', pattern: /^alter .*\btype\b/, fault: 'changes a type' },
  {
    harms: 'old versions',
    pattern: /^add (?!constraint)(?!.*\bdefault\b).*\bnot null\b/,
    fault: 'adds a column that old versions do not set, without a default',
  },
  { harms: 'others', pattern: /^alter .*\bset not null$/, fault: 'reads the whole table to find nulls' },
  { harms: 'others', pattern: new RegExp(`^add .*${CONSTRAINT.source}`), fault: 'checks all rows; add `not valid`' },
  { harms: 'others', pattern: new RegExp(`^add .*(${VOLATILE.source})`), fault: 'writes the whole table again' },
];

/** A comment that begins like this, right above a statement, is a written exception. */
const EXCEPTION = /^-- Safe: \S.{10,}/m;

/**
 * What a migration does that running processes would notice, one sentence for each statement. Statements on tables that
 * the migration itself creates are free.
 */
export function listFaults(migration: Migration): string[] {
  if (migration.backfill) return faultsOfBackfill(migration.backfill.sql);
  const statements = splitStatements(migration.sql ?? '');
  const created = new Set(
    statements.flatMap(({ text }) => /^create table (?:if not exists )?(\w+)/.exec(text)?.[1] ?? []),
  );
  return statements
    .filter(({ text, comment }) => !EXCEPTION.test(comment) && !created.has(findTable(text) ?? ''))
    .flatMap(({ text }) =>
      rulesBrokenBy(text)
        .filter(({ harms }) => migration.kind === 'expand' || harms === 'others')
        .map(({ fault }) => `\`${text.slice(0, 60)}\` ${fault}.`),
    );
}

function faultsOfBackfill(sql: string): string[] {
  return [
    ...(sql.includes(':limit') && sql.includes(':after') ? [] : ['Its backfill does not use `:after` and `:limit`.']),
    ...(sql.includes(':after:') || sql.includes(':limit:')
      ? ['Write `cast(:after as type)`, not `:after::type`.']
      : []),
  ];
}

function rulesBrokenBy(statement: string): Rule[] {
  const alter = /^alter table (?:if exists )?(?:only )?\w+ (.*)$/.exec(statement);
  const broken = STATEMENT_RULES.filter(({ pattern }) => pattern.test(statement));
  if (!alter) return broken;
  return [
    ...broken,
    ...splitChanges(alter[1] as string).flatMap((change) => CHANGE_RULES.filter(({ pattern }) => pattern.test(change))),
  ];
}

/** The table that a statement changes. */
function findTable(statement: string): string | null {
  const pattern =
    /^(?:alter table (?:if exists )?(?:only )?|update |delete from |create (?:unique )?index .*?\bon (?:only )?)(\w+)/;
  return pattern.exec(statement)?.[1] ?? null;
}

type SqlStatement = { readonly text: string; readonly comment: string };

/** Splits at semicolons, except in quotes. The texts are lowercase, on one line, and without comments. */
function splitStatements(sql: string): SqlStatement[] {
  const quoted: string[] = [];
  const hidden = sql.replace(/(--.*$)|('(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\3\$)/gm, (match, comment) =>
    comment ? match.replaceAll(';', ',') : `'${quoted.push(match)}'`,
  );
  return hidden
    .split(';')
    .map((part) => ({
      text: part.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim().toLowerCase(),
      comment: part
        .trim()
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.startsWith('--'))
        .join('\n'),
    }))
    .filter(({ text }) => text !== '');
}

/** Splits at commas, except in parentheses. */
function splitChanges(changes: string): string[] {
  let depth = 0;
  const parts = [''];
  for (const character of changes) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}
