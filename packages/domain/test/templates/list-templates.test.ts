import { createTemplate, deleteTemplate, listTemplates } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';

describe('listTemplates', () => {
  let ctx: Context;

  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  test('pages through the templates, newest first, in both directions', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const [a = '', b = '', c = '', d = '', e = ''] = await createTemplates(workspaceId, 5);
    const read = pages(workspaceId);
    expect(await read({ limit: 2 })).toEqual({ ids: [e, d], nextCursor: d });
    expect(await read({ limit: 2, after: d })).toEqual({ ids: [c, b], nextCursor: b });
    expect(await read({ limit: 2, after: b })).toEqual({ ids: [a], nextCursor: null });
    expect(await read({ limit: 2, before: a })).toEqual({ ids: [c, b], nextCursor: c });
    expect(await read({ limit: 3, before: b })).toEqual({ ids: [e, d, c], nextCursor: null });
    expect(await read({ limit: 5 })).toEqual({ ids: [e, d, c, b, a], nextCursor: null });
  });

  test('leaves out deleted templates and those from other workspaces', async () => {
    const [{ workspaceId }, other] = [await createTestWorkspace(ctx), await createTestWorkspace(ctx)];
    const [kept, deleted = ''] = await createTemplates(workspaceId, 2);
    await createTemplates(other.workspaceId, 1);
    await deleteTemplate(ctx, operator, { workspaceId, id: deleted });
    expect(await pages(workspaceId)({ limit: 10 })).toEqual({ ids: [kept], nextCursor: null });
  });

  test('ends a page early if its bodies would exceed 8 MB', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const [a = '', b = '', c = '', d = '', e = ''] = await createTemplates(workspaceId, 5, 'x'.repeat(1_900_000));
    const read = pages(workspaceId);
    expect(await read({ limit: 5 })).toEqual({ ids: [e, d], nextCursor: d });
    expect(await read({ limit: 5, after: d })).toEqual({ ids: [c, b], nextCursor: b });
    expect(await read({ limit: 5, before: a })).toEqual({ ids: [c, b], nextCursor: c });
  });

  function pages(workspaceId: string) {
    return async ({
      limit,
      after = null,
      before = null,
    }: {
      limit: number;
      after?: string | null;
      before?: string | null;
    }) => {
      const { rows, nextCursor } = await listTemplates(ctx.db, workspaceId, { limit, after, before });
      return { ids: rows.map(({ id }) => id), nextCursor };
    };
  }

  /** @returns ids, oldest first */
  async function createTemplates(workspaceId: string, count: number, body = 'text'): Promise<string[]> {
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) {
      const fields = { name: `${number}`, subject: 's', htmlBody: body, textBody: body };
      ids.push((await createTemplate(ctx, operator, workspaceId, fields)).id);
    }
    return ids;
  }
});
