import { limits } from '@posthorn/domain/limits';
import {
  createTemplate,
  createTemplateCache,
  deleteTemplate,
  findTemplateVersion,
  renderContent,
  type TemplateInput,
  updateTemplate,
} from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';
import { createCurrentVersionFinder } from '../../src/templates/find-template-version.js';
import { resolveTemplateContent } from '../../src/templates/resolve-template-content.js';

describe('resolveTemplateContent', () => {
  let ctx: Context;
  let reader: Parameters<typeof resolveTemplateContent>[0];
  let workspaceId: string;

  beforeAll(async () => {
    ctx = await openTestContext();
    reader = { db: ctx.db, templates: createTemplateCache(), findCurrentVersion: createCurrentVersionFinder(ctx) };
    ({ workspaceId } = await createTestWorkspace(ctx));
  });
  afterAll(() => closeTestContext(ctx));

  test('pins the current version and renders the subject without escaping', async () => {
    const id = await create({ subject: '{{who}} & {{{count}}}' });
    const vars = { who: `O'Brien <b>`, count: 3, unused: true };
    expect(await resolve(id, vars)).toMatchObject({ template: { id, version: 1 }, subject: `O'Brien <b> & 3`, vars });
    await updateTemplate(ctx, operator, { workspaceId, id }, { subject: 'new {{who}}' });
    expect(await resolve(id, vars)).toMatchObject({ template: { id, version: 2 }, subject: `new O'Brien <b>`, vars });
  });

  test('adds the defaults of the pinned version to the values, and nothing else', async () => {
    const id = await create({
      subject: '{{a}} {{b}} {{c}}',
      declared: [
        { name: 'a', default: 'A' },
        { name: 'b', default: '' },
      ],
    });
    const given = { b: 0, c: 'x', more: true };
    expect(await resolve(id, given)).toMatchObject({ subject: 'A 0 x', vars: { ...given, a: 'A' } });
    await expect(resolve(id, { a: null })).rejects.toMatchObject({
      extras: { faults: [{ field: 'template_vars.c' }] },
    });
    await updateTemplate(
      ctx,
      operator,
      { workspaceId, id },
      {
        declared: [
          { name: 'a', default: 'B' },
          { name: 'b', default: '' },
        ],
      },
    );
    expect(await resolve(id, { a: null, c: '' })).toMatchObject({ subject: 'B  ', vars: { a: 'B', b: '', c: '' } });
  });

  test('lets html and text be rendered from the pinned version even after the template is deleted', async () => {
    const id = await create({ htmlBody: '<i>{{x}}</i>', textBody: '{{x}}' });
    const { template } = await resolve(id, { x: '<&>' });
    await updateTemplate(ctx, operator, { workspaceId, id }, { htmlBody: 'changed', textBody: 'changed' });
    await deleteTemplate(ctx, operator, { workspaceId, id });
    for (const templates of [reader.templates, createTemplateCache()]) {
      const version = await findTemplateVersion({ db: ctx.db, templates }, workspaceId, template.id, template.version);
      expect(version && renderContent(version, { x: '<&>' })).toEqual({ html: '<i>&lt;&amp;&gt;</i>', text: '<&>' });
    }
  });

  test.each(['no id at all', newId()])('refuses %s with template_not_found', async (id) => {
    await expect(resolve(id, {})).rejects.toMatchObject({ code: 'template_not_found' });
  });

  test('fails with template_not_found for a deleted template and for one from another workspace', async () => {
    const other = await createTestWorkspace(ctx);
    const deleted = await create({});
    await deleteTemplate(ctx, operator, { workspaceId, id: deleted });
    await expect(resolve(deleted, {})).rejects.toMatchObject({ code: 'template_not_found' });
    const id = await create({});
    await resolve(id, {});
    await expect(resolveTemplateContent(reader, other.workspaceId, id, {})).rejects.toMatchObject({
      code: 'template_not_found',
    });
  });

  test('lists every variable without a value, in template order', async () => {
    const id = await create({ subject: '{{c}} {{a}}', htmlBody: '{{b}} {{a}}', textBody: '{{d}} {{toString}} {{e}}' });
    await expect(resolve(id, { a: '', b: null, e: false })).rejects.toMatchObject({
      code: 'missing_template_variables',
      message: expect.stringContaining('c, b, d, toString'),
      extras: {
        faults: ['c', 'b', 'd', 'toString'].map((name) => ({
          field: `template_vars.${name}`,
          message: 'is required by the template',
        })),
      },
    });
    expect(await resolve(id, { a: '', b: 0, c: false, d: '', toString: '', e: '' })).toMatchObject({
      subject: 'false ',
    });
  });

  test.each(['\r\nBcc: x@example.com', 'a\nb', 'a\rb', '\t', '\0', '\x1b', '\x7f', '\u0085', '\u2028'])(
    'refuses %j in the subject and names the variable',
    async (value) => {
      const id = await create({ subject: 'Hi {{name}}{{{raw}}} {{fine}}', textBody: '{{body}}' });
      await expect(resolve(id, { name: value, raw: value, fine: 'x', body: value })).rejects.toMatchObject({
        code: 'validation_failed',
        extras: { faults: [{ field: 'template_vars.name' }, { field: 'template_vars.raw' }] },
      });
      expect(await resolve(id, { name: 'x', raw: 'y', fine: 'z', body: value })).toMatchObject({ subject: 'Hi xy z' });
    },
  );

  test('accepts a subject with as many characters as the limit allows, and not one more', async () => {
    const id = await create({ subject: '{{a}}' });
    const { max } = limits.subject;
    expect((await resolve(id, { a: 'ü'.repeat(max) })).subject).toHaveLength(max);
    await expect(resolve(id, { a: 'ü'.repeat(max + 1) })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(`the subject ${max + 1} characters long; the limit is ${max} characters`),
    });
    await expect(resolve(id, { a: 'x'.repeat(64_000) })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('the subject 64,000 bytes long'),
    });
  });

  test('refuses a template whose output would exceed the limits, and reports how long it would be', async () => {
    const id = await create({ htmlBody: '{{{a}}}'.repeat(2_000), textBody: '{{a}}'.repeat(2_000) });
    await expect(resolve(id, { a: 'x'.repeat(64_000) })).rejects.toMatchObject({
      code: 'validation_failed',
      extras: {
        faults: [
          { field: 'template_vars', message: expect.stringContaining('html_body 128,000,000 bytes long') },
          { field: 'template_vars', message: expect.stringContaining('text_body 128,000,000 bytes long') },
        ],
      },
    });
    expect(await resolve(id, { a: 'x'.repeat(1_000) })).toMatchObject({ template: { id } });
  });

  function resolve(id: string, vars: Record<string, string | number | boolean | null>) {
    return resolveTemplateContent(reader, workspaceId, id, vars);
  }

  async function create(fields: Partial<TemplateInput>): Promise<string> {
    const template = { name: 'Test', subject: 'Subject', htmlBody: '<p></p>', textBody: 'text', ...fields };
    return (await createTemplate(ctx, operator, workspaceId, template)).id;
  }
});
