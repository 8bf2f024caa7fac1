import { migrations } from '@posthorn/domain/schema';
import type { Migration } from '@posthorn/platform/postgres';
import { listFaults } from './migration-rules.js';

const expand = (sql: string): Migration => ({ name: '0099-sample', kind: 'expand', sql });
const contract = (sql: string): Migration => ({ name: '0099-sample', kind: 'contract', sql });

test('every migration after the first can run beside the previous version', () => {
  const faults = migrations
    .slice(1)
    .flatMap((migration) => listFaults(migration).map((fault) => `${migration.name}: ${fault}`));
  expect(faults).toEqual([]);
});

test('a removal names a migration that comes before it', () => {
  const names = migrations.map(({ name }) => name);
  const wrong = migrations.filter(
    ({ name, unusedSince }) => unusedSince && !names.slice(0, names.indexOf(name)).includes(unusedSince),
  );
  expect(wrong).toEqual([]);
});

test('names are unique, in order, and begin with a number', () => {
  const names = migrations.map(({ name }) => name);
  expect([...new Set(names)].sort()).toEqual(names);
  expect(names.filter((name) => !/^\d{4}-[a-z0-9-]+$/.test(name))).toEqual([]);
});

test('the names of indexes leave room for those of partitions', () => {
  const names = migrations.flatMap(({ indexes = [] }) => indexes.map(({ name }) => name));
  expect(names.filter((name) => name.length > 50)).toEqual([]);
});

describe('a migration that adds something may not', () => {
  test.each([
    ['drop a table', 'drop table emails', 'drops something'],
    ['drop an index', 'drop index emails_due', 'drops something'],
    ['drop a column', 'alter table emails add column a text, drop column subject', 'drops something'],
    ['drop a constraint', 'ALTER TABLE emails\n  DROP CONSTRAINT emails_pkey', 'drops something'],
    ['drop a default', 'alter table emails alter column subject drop default', 'drops something'],
    ['rename a column', 'alter table emails rename column subject to title', 'renames something'],
    ['rename an index', 'alter index emails_due rename to due', 'renames something'],
    ['change a type', 'alter table emails alter column attempt type bigint', 'changes a type'],
    ['change a type, with more words', 'alter table emails alter attempt set data type bigint', 'changes a type'],
    ['forbid null', 'alter table emails alter column subject set not null', 'forbids null'],
    ['require a value', 'alter table emails add column size integer not null', 'without a default'],
    ['build an index', 'create index emails_a on emails (a)', 'builds an index'],
    ['build a unique index', 'create unique index on emails (a)', 'builds an index'],
    ['check all rows', 'alter table emails add constraint positive check (size > 0)', 'checks all rows'],
    ['add a foreign key', 'alter table emails add foreign key (a) references b (id)', 'checks all rows'],
    ['add a column with a foreign key', 'alter table emails add column a uuid references b (id)', 'checks all rows'],
    ['write a table again', 'alter table emails add column a uuid default gen_random_uuid()', 'writes the whole table'],
    ['change stored rows', 'update emails set size = 0', 'changes stored rows at once'],
    ['delete stored rows', 'with old as (select 1) delete from emails', 'changes stored rows at once'],
    ['lock a table', 'lock table emails', 'locks a table'],
    ['hide what it does', 'do $$ begin drop table emails; end $$', 'hides its statements'],
    [
      'do any of this after something else',
      "insert into a values ('a;b'); -- one; two\n drop table b",
      'drops something',
    ],
  ])('%s', (_what, sql, fault) => {
    expect(listFaults(expand(sql))).toContainEqual(expect.stringContaining(fault));
  });

  test('change stored rows without batches', () => {
    const backfill = (sql: string): Migration => ({ name: '0099-sample', kind: 'expand', backfill: { sql } });
    expect(listFaults(backfill('update emails set size = 0'))).toHaveLength(1);
    expect(listFaults(backfill('select :after::uuid limit :limit'))).toHaveLength(1);
    expect(listFaults(backfill('select cast(:after as uuid) limit :limit'))).toEqual([]);
  });
});

describe('a migration that adds something may', () => {
  test.each([
    ['add a table and its indexes', 'create table a (id uuid not null unique); create unique index a_b on a (b)'],
    ['change a table that it adds', 'create table a (); alter table a add column b integer not null'],
    ['add a column', 'alter table emails add column a text, add column b integer not null default 0'],
    ['add a constraint for new rows', 'alter table emails add constraint positive check (size > 0) not valid'],
    ['check stored rows later', 'alter table emails validate constraint positive'],
    ['set a default', 'alter table emails alter column subject set default null'],
    ['allow null', 'alter table emails alter column subject drop not null'],
    [
      'add a function and a trigger',
      'create function f() returns trigger language plpgsql as $f$ begin delete from a; end $f$',
    ],
    ['do more with a reason', '-- Safe: version 0.2 stopped reading this table\n drop table emails_old'],
  ])('%s', (_what, sql) => {
    expect(listFaults(expand(sql))).toEqual([]);
  });
});

test('a migration that removes something may drop and rename, but others must not wait for it', () => {
  expect(listFaults(contract('drop table emails_old; alter table emails drop column a'))).toEqual([]);
  expect(listFaults(contract('alter table emails rename column a to b'))).toEqual([]);
  expect(listFaults(contract('create index emails_a on emails (a)'))).toHaveLength(1);
  expect(listFaults(contract('alter table emails alter column a set not null'))).toHaveLength(1);
});
