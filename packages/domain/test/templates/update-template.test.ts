import {
  createTemplate,
  createTemplateCache,
  deleteTemplate,
  findTemplate,
  findTemplateVersion,
  updateTemplate,
} from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';

const fields = { name: 'Welcome', subject: 'Hi {{name}}', htmlBody: '<p>{{name}}</p>', textBody: '{{name}}' };

const undeclared = (...names: string[]) => names.map((name) => ({ name, default: null, sample: null }));

describe('updateTemplate', () => {
  const createdAt = new Date('2026-11-21T10:00:00.000Z');
  const updatedAt = new Date('2026-11-22T11:00:00.000Z');
  let now = createdAt;
  let ctx: Context;
  let workspaceId: string;
  let id: string;

  beforeAll(async () => {
    ctx = await openTestContext({ now: () => now });
    ({ workspaceId } = await createTestWorkspace(ctx));
  });
  beforeEach(async () => {
    now = createdAt;
    ({ id } = await createTemplate(ctx, operator, workspaceId, fields));
    now = updatedAt;
  });
  afterAll(() => closeTestContext(ctx));

  test.each([
    { changes: { name: 'Hello' }, variables: ['name'] },
    { changes: { subject: 'Hello' }, variables: ['name'] },
    { changes: { htmlBody: '<b>{{x}}</b>' }, variables: ['name', 'x'] },
    { changes: { textBody: '{{y}}' }, variables: ['name', 'y'] },
  ])('$changes creates a new version and keeps the other fields', async ({ changes, variables }) => {
    const changed = await updateTemplate(ctx, operator, { workspaceId, id }, changes);
    expect(changed).toEqual({
      id,
      ...fields,
      ...changes,
      variables: undeclared(...variables),
      version: 2,
      createdAt,
      updatedAt,
    });
    expect(await findTemplate(ctx.db, workspaceId, id)).toEqual(changed);
  });

  test('creates no version if nothing changes', async () => {
    const same = await updateTemplate(ctx, operator, { workspaceId, id }, { ...fields });
    expect(same).toEqual({ id, ...fields, variables: undeclared('name'), version: 1, createdAt, updatedAt: createdAt });
    expect(await versions()).toEqual([1]);
  });

  test('keeps defaults and samples until the placeholder is gone or others are declared', async () => {
    const declared = [{ name: 'name', default: 'there', sample: 'Ada' }];
    const first = await updateTemplate(ctx, operator, { workspaceId, id }, { declared });
    expect(first).toMatchObject({ version: 2, variables: declared });
    expect(await updateTemplate(ctx, operator, { workspaceId, id }, { declared })).toEqual(first);
    expect(await updateTemplate(ctx, operator, { workspaceId, id }, { subject: 'Hello' })).toMatchObject({
      variables: declared,
    });
    expect(await updateTemplate(ctx, operator, { workspaceId, id }, { declared: [] })).toMatchObject({
      variables: undeclared('name'),
      version: 4,
    });
  });

  test('leaves old versions unchanged', async () => {
    await updateTemplate(ctx, operator, { workspaceId, id }, { textBody: 'new' });
    const reader = { db: ctx.db, templates: createTemplateCache() };
    expect(await findTemplateVersion(reader, workspaceId, id, 1)).toMatchObject({
      text: [{ name: 'name', raw: false }],
    });
    expect(await findTemplateVersion(reader, workspaceId, id, 2)).toMatchObject({ text: ['new'] });
  });

  test('gives each of many concurrent changes its own version', async () => {
    const changes = Array.from({ length: 8 }, (_, index) =>
      updateTemplate(ctx, operator, { workspaceId, id }, { name: `name ${index}` }),
    );
    const numbers = (await Promise.all(changes)).map((template) => template?.version);
    expect(numbers.sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await versions()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('refuses an invalid part and changes nothing', async () => {
    await expect(
      updateTemplate(ctx, operator, { workspaceId, id }, { name: 'x', htmlBody: '{{> footer}}' }),
    ).rejects.toMatchObject({
      extras: { faults: [{ field: 'html_body', message: expect.stringContaining('line 1, column 1: partials') }] },
    });
    expect(await findTemplate(ctx.db, workspaceId, id)).toMatchObject({ ...fields, version: 1 });
  });

  test('does not find a deleted template or one that belongs to another workspace', async () => {
    const other = await createTestWorkspace(ctx);
    expect(await updateTemplate(ctx, operator, { workspaceId: other.workspaceId, id }, { name: 'mine' })).toBeNull();
    await deleteTemplate(ctx, operator, { workspaceId, id });
    expect(await updateTemplate(ctx, operator, { workspaceId, id }, { name: 'back' })).toBeNull();
    expect(await versions()).toEqual([1]);
  });

  function versions(): Promise<number[]> {
    return ctx.db('template_versions').where({ template_id: id }).orderBy('version').pluck('version');
  }
});
