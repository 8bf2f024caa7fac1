import { type FieldFault, Refusal } from '@posthorn/domain/errors';
import Joi, { type Schema } from 'joi';
import { signUpBody } from '../../src/accounts/routes.js';
import { createKeyBody } from '../../src/api-keys/routes.js';
import { routes } from '../../src/app.js';
import { listQuery } from '../../src/emails/list-emails.js';
import { sendBody } from '../../src/emails/request.js';
import { changeRoleBody } from '../../src/members/routes.js';
import { createTemplateBody, updateTemplateBody } from '../../src/templates/routes.js';
import { validate } from '../../src/validation/validate.js';

function findFaults(schema: Schema, value: unknown): readonly FieldFault[] {
  try {
    validate(schema, value);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.extras.faults ?? [];
  }
}

const sendSeveral = 'Send several emails, for example with /api/v1/emails/batch';

describe('a 422', () => {
  const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
  const template = { name: 'Welcome', subject: 's', html_body: 'h', text_body: 't' };
  const key = { name: 'CI', scopes: ['emails:send'] };
  const account = { email: 'jane@example.com', password: 'correct horse' };
  const pairs = (count: number) => Array.from({ length: count }, (_, index) => [`X-${index}`, '']);

  test.each<[field: string, message: string, Schema, unknown]>([
    ['', 'must be an object', sendBody, []],
    ['to', 'is required', sendBody, { ...email, to: undefined }],
    ['to', 'must be an array; send ["jane@example.com"]', sendBody, { ...email, to: 'jane@example.com' }],
    ['to', 'must have at least 1 item', sendBody, { ...email, to: [] }],
    [
      'to',
      `has 1,001 items; the limit is 100. ${sendSeveral}`,
      sendBody,
      { ...email, to: Array(1_001).fill('a@b.example') },
    ],
    ['to[0]', 'must be a string, such as "jane@example.com"', sendBody, { ...email, to: [7] }],
    ['subject', 'must not be empty', sendBody, { ...email, subject: '' }],
    ['subject', 'has 1,203 characters; the limit is 998', sendBody, { ...email, subject: 'x'.repeat(1_203) }],
    ['subject', 'must not contain line breaks or control characters', sendBody, { ...email, subject: 'a\nb' }],
    [
      'html',
      'is 2,000,002 bytes long; the limit is 2,000,000. Attach large images or link to them instead of embedding them',
      sendBody,
      { ...email, html: 'ü'.repeat(1_000_001) },
    ],
    [
      'text',
      'is 2,000,001 bytes long; the limit is 2,000,000. Send the rest as an attachment',
      sendBody,
      { ...email, text: 'x'.repeat(2_000_001) },
    ],
    [
      'attachments',
      'has 11 items; the limit is 10. Put several files into one archive, or link to them',
      sendBody,
      { ...email, attachments: Array(11).fill({}) },
    ],
    [
      'from_',
      'must be a string, such as "Acme <hello@acme.example>"',
      sendBody,
      { ...email, from_: { email: 'a@x.com', name: 'A' } },
    ],
    ['headers.X', 'must be a string, such as "42"', sendBody, { ...email, headers: { X: 1 } }],
    ['tags[0].value', 'must be a string, such as "welcome"', sendBody, { ...email, tags: [{ name: 'a', value: 1 }] }],
    ['to[19]', 'must be a string, such as "jane@example.com"', sendBody, { ...email, to: Array(25).fill({}) }],
    [
      'variables[0].default',
      'must be a string; leave it out if there is none',
      createTemplateBody,
      { ...template, variables: [{ name: 'a', default: 1 }] },
    ],
    ['headers', 'has 51 fields; the limit is 50', sendBody, { ...email, headers: Object.fromEntries(pairs(51)) }],
    [
      'headers.x-a',
      'appears more than once; header names are case-insensitive',
      sendBody,
      { ...email, headers: { 'X-A': '', 'x-a': '' } },
    ],
    [
      'tags[0].name',
      'must be only letters, digits, _ and -',
      sendBody,
      { ...email, tags: [{ name: 'a b', value: 'v' }] },
    ],
    [
      'tags[1]',
      'has the same name as an earlier item; remove one of the two',
      sendBody,
      { ...email, tags: [1, 2].map(() => ({ name: 'a', value: 'v' })) },
    ],
    [
      'to',
      `has 51 recipients, including cc and bcc; the limit is 50. ${sendSeveral}`,
      sendBody,
      { ...email, to: Array.from({ length: 51 }, (_, index) => `a${index}@example.com`) },
    ],
    ['html', 'or text is required, unless you send a template_id', sendBody, { ...email, text: undefined }],
    ['subject', 'cannot be combined with template_id; send one or the other', sendBody, { ...email, template_id: 'x' }],
    ['template_vars', 'requires template_id; raw content has no variables', sendBody, { ...email, template_vars: {} }],
    ['domain_id', 'requires from_; add the sender address', sendBody, { ...email, domain_id: 'x' }],
    [
      'attachments[0].path',
      'is not read; send the file itself in content, as base64',
      sendBody,
      { ...email, attachments: [{ filename: 'a.pdf', content: '', path: '/a.pdf' }] },
    ],
    [
      'scheduled_at',
      'must be a string, such as "2026-12-01T09:30:00Z"',
      sendBody,
      { ...email, scheduled_at: 1_764_547_200 },
    ],
    ['expires_at', 'must be a string, such as "2026-12-01T09:30:00Z"', sendBody, { ...email, expires_at: 7 }],
    [
      'scheduled_at',
      'must be an RFC 3339 time with an offset, such as 2026-12-01T09:30:00Z',
      sendBody,
      { ...email, scheduled_at: 'tomorrow' },
    ],
    ['html', 'or text is required, unless you send a template_id', sendBody, { to: email.to }],
    ['html_body', 'is not a known field. Did you mean html?', sendBody, { ...email, html_body: 'x' }],
    ['HtmlBody', 'is not a known field. Did you mean html?', sendBody, { ...email, HtmlBody: 'x' }],
    ['text_body', 'is not a known field. Did you mean text?', sendBody, { ...email, text_body: 'x' }],
    ['replyTo', 'is not a known field. Did you mean reply_to?', sendBody, { ...email, replyTo: [] }],
    ['templateId', 'is not a known field. Did you mean template_id?', sendBody, { ...email, templateId: 'x' }],
    ['sendAt', 'is not a known field. Did you mean scheduled_at?', sendBody, { ...email, sendAt: 'x' }],
    ['send_at', 'is not a known field. Did you mean scheduled_at?', sendBody, { ...email, send_at: 'x' }],
    ['TemplateModel', 'is not a known field. Did you mean template_vars?', sendBody, { ...email, TemplateModel: {} }],
    ['html', 'is not a known field. Did you mean html_body?', createTemplateBody, { ...template, html: 'x' }],
    ['from', 'is not a known field. Did you mean from_?', sendBody, { ...email, from: 'a@b.example' }],
    ['zzz', 'is not a known field; remove it or check its spelling', sendBody, { ...email, zzz: 1 }],
    [
      'template_vars',
      'has a name of 101 characters; names can have 1 to 100 characters',
      sendBody,
      { to: email.to, template_id: 'x', template_vars: { ['n'.repeat(101)]: 1 } },
    ],
    [
      'template_vars',
      'is 64,008 bytes long as JSON; the limit is 64,000. Move text that is always the same into the template',
      sendBody,
      { to: email.to, template_id: 'x', template_vars: { a: 'x'.repeat(64_000) } },
    ],
    [
      'template_vars.a',
      'is too large to be stored exactly; send it as a string',
      sendBody,
      { to: email.to, template_id: 'x', template_vars: { a: 2 ** 60 } },
    ],
    [
      'template_vars.constructor',
      'is a reserved name; choose another',
      sendBody,
      { to: email.to, template_id: 'x', template_vars: { constructor: 'x' } },
    ],
    ['name', 'must not start or end with whitespace', createTemplateBody, { ...template, name: ' padded ' }],
    ['', 'must have at least one of name, subject, html_body, text_body and variables', updateTemplateBody, {}],
    ['scopes', 'must have at least 1 item', createKeyBody, { ...key, scopes: [] }],
    [
      'scopes[1]',
      'repeats an earlier item; remove one of the two',
      createKeyBody,
      { ...key, scopes: ['emails:send', 'emails:send'] },
    ],
    ['expires_at', 'must be in the future', createKeyBody, { ...key, expires_at: '2020-01-01T00:00:00Z' }],
    ['role', 'must be one of: owner, member', changeRoleBody, { role: 'admin' }],
    ['password', 'must have at least 10 characters; it has 5', signUpBody, { ...account, password: 'short' }],
    ['limit', 'must be a whole number from 1 to 100', listQuery, { limit: '101' }],
    ['tag', 'must be a tag of the form name:value', listQuery, { tag: 'x' }],
    ['template_id', 'must be a template id', listQuery, { template_id: 'x' }],
    ['after', 'must be an id from this list', listQuery, { after: 'x' }],
  ])('says: %s %s', (field, message, schema, value) => {
    expect(findFaults(schema, value)).toContainEqual({ field, message });
  });

  test('names every missing field, together with the faults of other fields', () => {
    expect(findFaults(sendBody, {}).map(({ field }) => field)).toEqual(['to', 'subject', 'html']);
    const both = findFaults(sendBody, { to: email.to, headers: { Bcc: 'x', 'X-SMTPAPI': '{}' } });
    expect(both.map(({ field }) => field).sort()).toEqual(['headers.Bcc', 'headers.X-SMTPAPI', 'html', 'subject']);
  });

  test.each<[Schema, string, unknown]>([
    [createKeyBody, 'expires_at', { ...key, expires_at: 'tomorrow' }],
    [createKeyBody, 'expires_at', { ...key, expires_at: '2020-01-01T00:00:00Z' }],
    [createKeyBody, 'scopes[0]', { ...key, scopes: [7] }],
    [listQuery, 'status', { status: 'lost' }],
    [listQuery, 'status', { status: '' }],
    [changeRoleBody, 'role', { role: '' }],
    [sendBody, 'scheduled_at', { ...email, scheduled_at: '' }],
  ])('reports one fault for one mistake (%#: %s)', (schema, field, value) => {
    expect(findFaults(schema, value).map((fault) => fault.field)).toEqual([field]);
  });

  test('never treats client-supplied text as a template', () => {
    const [fault] = findFaults(sendBody, { ...email, '{{#label}}': 1 });
    expect(fault).toEqual({ field: '{{#label}}', message: 'is not a known field; remove it or check its spelling' });
  });
});

describe('every route schema', () => {
  /** Phrases that occur only in joi's own messages. */
  const BARE =
    /less than or equal|must be one of(?!:)|not allowed|length must|must contain (at|less)|must have (less|at least \d+ key)|fails to match|of type|duplicate\b|invalid value|conflict between|trailing whitespace|\[(?!["{])|{(?!")|undefined|^"/;

  const long = 'x'.repeat(2_000_001);
  const wrong: unknown[] = [
    null,
    true,
    7,
    '',
    ' ',
    'a\nb',
    long,
    [],
    [null, 7, '', '', long],
    [{}, {}, { name: '', value: 7, more: 1 }],
    Array(1_001).fill('jane@example.com'),
    ['emails:send', 'emails:send'],
    {},
    { a: [], 'a b': 7, '': '' },
    Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, ''])),
  ];

  const schemas = routes.flatMap(({ method, path, body, query }) => [
    ...(body ? [[`body of ${method} ${path}`, body] as const] : []),
    ...(query ? [[`query of ${method} ${path}`, query] as const] : []),
  ]);

  test.each(schemas)('has custom messages for all its errors: %s', (_title, schema) => {
    const fields = [...Object.keys(schema.describe().keys), 'surplus'];
    const values = [...wrong, ...fields.flatMap((field) => wrong.map((value) => ({ [field]: value })))];
    const together = Object.fromEntries(fields.map((field) => [field, '0192f0c1-0000-7000-8000-000000000000']));
    const faults = [...values, together].flatMap((value) => findFaults(schema, value));
    expect(faults.length).toBeGreaterThan(fields.length);
    for (const { message } of faults) expect(message).not.toMatch(BARE);
  });
});

test('an error in one of our own rules is not reported as a fault in the request', () => {
  const schema = Joi.object().custom(() => {
    throw new TypeError('Cannot read properties of null');
  });
  expect(() => validate(schema, {})).toThrow(TypeError);
});
