import { limits } from '@posthorn/domain/limits';
import { createTemplate, deleteTemplate, findTemplate } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';

const fields = { name: 'Welcome', subject: 'Hi {{name}}', htmlBody: '<p>{{name}}</p>', textBody: '{{name}}' };

describe('createTemplate', () => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  test('stores the template as version 1', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const template = await createTemplate(ctx, operator, workspaceId, fields);
    expect(template).toMatchObject({ ...fields, version: 1 });
    expect(template.updatedAt).toEqual(template.createdAt);
    expect(await findTemplate(ctx.db, workspaceId, template.id)).toEqual(template);
  });

  test('reports the position of the first error in each part, and stores nothing', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const faulty = { name: 'x', subject: '{{a', htmlBody: '<p>\n  {{#a}}', textBody: 'fine {{a}}' };
    await expect(createTemplate(ctx, operator, workspaceId, faulty)).rejects.toMatchObject({
      code: 'validation_failed',
      extras: {
        faults: [
          { field: 'subject', message: 'has an error at line 1, column 1: the tag is not closed. End it with }}' },
          {
            field: 'html_body',
            message: expect.stringMatching(/^has an error at line 2, column 3: sections are not supported/),
          },
        ],
      },
    });
    expect(await ctx.db('templates').where({ workspace_id: workspaceId })).toEqual([]);
  });

  test('never exceeds the template limit under concurrency', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    await insertTemplates(workspaceId, limits.templates.max - 3);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => createTemplate(ctx, operator, workspaceId, fields)),
    );
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refusals).toHaveLength(5);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`${limits.templates.max} templates`),
      });
    }
    expect(await ctx.db('templates').where({ workspace_id: workspaceId })).toHaveLength(limits.templates.max);
  });

  test('allows another template once one is deleted, and counts each workspace separately', async () => {
    const [full, other] = [await createTestWorkspace(ctx), await createTestWorkspace(ctx)];
    await insertTemplates(full.workspaceId, limits.templates.max - 1);
    const { id } = await createTemplate(ctx, operator, full.workspaceId, fields);
    await expect(createTemplate(ctx, operator, full.workspaceId, fields)).rejects.toMatchObject({ code: 'conflict' });
    await createTemplate(ctx, operator, other.workspaceId, fields);
    await deleteTemplate(ctx, operator, { workspaceId: full.workspaceId, id });
    expect(await createTemplate(ctx, operator, full.workspaceId, fields)).toMatchObject({ version: 1 });
  });

  async function insertTemplates(workspaceId: string, count: number): Promise<void> {
    const now = ctx.now();
    const row = () => ({
      id: newId(),
      workspace_id: workspaceId,
      name: 'x',
      version: 1,
      created_at: now,
      updated_at: now,
    });
    await ctx.db('templates').insert(Array.from({ length: count }, row));
  }
});
