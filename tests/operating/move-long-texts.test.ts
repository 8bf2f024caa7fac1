import { moveWorkspace, newId } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';

test('a move copies long texts in several batches if they do not fit into one', async () => {
  const ownDatabase = 'a workspace moves from one database to another';
  const [source, target] = [await openTestContext({ ownDatabase }), await openTestContext({ ownDatabase })];
  const { workspaceId } = await createTestWorkspace(source);
  const template = { id: newId(), workspace_id: workspaceId, name: 'Long', version: 30 };
  await source.db('templates').insert({ ...template, created_at: new Date(), updated_at: new Date() });
  await source.db.raw(
    `insert into template_versions (workspace_id, template_id, version, subject, html_body, text_body, variables, created_at)
     select :workspace_id, :id, n, 'Hi', repeat('x', 9000000), '', '{}', now() from generate_series(1, 30) as n`,
    template,
  );
  await moveWorkspace(
    { source: source.db, target: target.db },
    { id: workspaceId, movedTo: 'https://two.example', graceMs: 0, drainMs: 5_000, onStep() {} },
  );
  const { rows } = await target.db.raw(
    'select count(*)::int as n, min(length(html_body)) as size from template_versions',
  );
  expect(rows[0]).toEqual({ n: 30, size: 9_000_000 });
  await closeTestContext(source);
  await closeTestContext(target);
}, 180_000);
