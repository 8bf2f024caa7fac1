import fc from 'fast-check';
import type { Hints, ValueHints } from './from-schema.js';
import { malformedText } from './malformed-values.js';

/** Mostly valid values, so that requests with many fields are often accepted. */
function mostly(usual: fc.Arbitrary<unknown>, unusual: fc.Arbitrary<unknown> = malformedText): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 19, arbitrary: usual }, { weight: 1, arbitrary: unusual });
}

/** Sizes in bytes around the boundaries of base64 and of the parts in which files are stored. */
const CONTENTS = [0, 1, 2, 57, 3_000, 65_000, 400_000].map((size) => Buffer.alloc(size, 'posthorn').toString('base64'));

const NOT_BASE64 = ['SGVsbG8', 'SGVs bG8=', '_-8=', 'data:text/plain;base64,SGVsbG8='];

const attachmentHints: ValueHints = {
  'attachments[].filename': mostly(
    fc.constantFrom('a.pdf', 'x.eml', 'photo.png', 'Übersicht 2026.csv', 'archive.tar.gz', 'no-extension', '日本.txt'),
    fc.oneof(fc.constantFrom('setup.exe', 'a/b.txt', '..', 'run.JS .'), malformedText),
  ),
  'attachments[].content': mostly(
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
      fc.constantFrom(...CONTENTS),
    ),
    fc.oneof(fc.constantFrom(...NOT_BASE64), malformedText),
  ),
  'attachments[].content_type': mostly(
    fc.constantFrom('application/pdf', 'text/plain; charset=utf-8', 'text/calendar; method=REQUEST', 'IMAGE/png'),
    fc.oneof(fc.constantFrom('message/rfc822', 'multipart/mixed', 'text', 'a/b; c="'), malformedText),
  ),
  'attachments[].content_id': mostly(
    fc.oneof(fc.constant('logo'), fc.stringMatching(/^[a-z]{4}(@example\.com)?$/)),
    fc.oneof(fc.constantFrom('<logo>', 'cid:logo', '-'), malformedText),
  ),
};

const sampleText = mostly(fc.string({ unit: 'grapheme', maxLength: 40 }));

const variableHints: ValueHints = {
  text_from_html: mostly(fc.constant(true), fc.constant(false)),
  variables: fc.uniqueArray(
    fc.record(
      {
        name: mostly(fc.constantFrom('name', 'n', 'city'), fc.oneof(fc.constant('unused'), malformedText)),
        default: sampleText,
        sample: sampleText,
      },
      { requiredKeys: ['name'] },
    ),
    { maxLength: 3, selector: ({ name }) => name },
  ),
};

const tagHints: ValueHints = {
  'tags[].name': mostly(fc.stringMatching(/^[A-Za-z0-9_-]{1,4}$/)),
  'tags[].value': mostly(fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/)),
};

const topic = mostly(fc.constantFrom('news', 'offers', 'all-mail_2'));

const csvLine = fc
  .tuple(
    fc.stringMatching(/^[a-z]{3}@example\.(com|org)$/),
    fc.constantFrom('', 'hard_bounce', 'complaint', 'unsubscribe', 'manual'),
    fc.constantFrom('', 'news'),
  )
  .map((cells) => cells.join(','));

const suppressionHints: ValueHints = {
  topic,
  'unsubscribe.topic': topic,
  'List-Unsubscribe': mostly(fc.constant('One-Click')),
  'text/csv': mostly(
    fc.array(csvLine, { maxLength: 5 }).map((lines) => ['address,reason,topic', ...lines].join('\r\n')),
    fc.oneof(fc.constantFrom('address', 'address,address\n', 'address\n"a', 'a;b\n1;2\n'), malformedText),
  ),
};

/** Fields that are valid together. A random choice of fields nearly always has two that exclude each other. */
const fieldSets: ReadonlyArray<readonly string[]> = [
  ['to', 'subject', 'text', 'tags'],
  ['to', 'subject', 'html', 'attachments'],
  ['to', 'cc', 'subject', 'html', 'text', 'attachments', 'reply_to'],
  ['to', 'subject', 'text', 'unsubscribe'],
  ['to', 'template_id', 'template_vars', 'attachments', 'priority'],
  ['name', 'subject', 'html_body', 'text_body', 'variables'],
  ['name', 'subject', 'html_body', 'text_from_html', 'variables'],
];

type KnownValues = {
  readonly templates: readonly string[];
  readonly cursors: readonly string[];
  readonly workspaces: readonly string[];
  readonly unsubscribeToken: string;
  readonly login: { readonly email: string; readonly password: string };
  readonly simulatorDomain: string;
};

/** Values for request fields, some of which refer to the tenants' resources. */
export function hintsFor(known: KnownValues): Hints {
  return {
    values: { ...valuesFor(known), ...attachmentHints, ...variableHints, ...tagHints, ...suppressionHints },
    fieldSets,
  };
}

function valuesFor({
  templates,
  cursors,
  workspaces,
  unsubscribeToken,
  login,
  simulatorDomain,
}: KnownValues): ValueHints {
  const address = fc.constantFrom(
    'jane@example.com',
    'Jane <jane@bücher.example>',
    'joe@example.org',
    'j.o@mail.example',
    `bounced+order7@${simulatorDomain}`,
    `suppressed@${simulatorDomain}`,
  );
  const addresses = fc.array(mostly(address), { minLength: 1, maxLength: 4 });
  const time = fc.integer({ min: -1, max: 40 }).map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  const line = fc.oneof(
    fc.constantFrom('Hello', 'Hello {{name}}', '{{name}} <img src="cid:logo"> {{n}} {{city}}'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  );
  return {
    to: addresses,
    cc: addresses,
    bcc: addresses,
    reply_to: addresses,
    from_: address,
    subject: line,
    html: line,
    text: line,
    html_body: fc.oneof(fc.constant('<p>{{name}} {{n}} {{city}}</p>'), line),
    text_body: line,
    template_id: fc.constantFrom(...templates),
    workspace_id: fc.constantFrom(...workspaces),
    token: fc.constant(unsubscribeToken),
    address,
    template_vars: fc.dictionary(
      fc.constantFrom('name', 'n', 'city'),
      fc.oneof(fc.string(), fc.integer(), fc.boolean()),
      {
        maxKeys: 3,
      },
    ),
    headers: fc.dictionary(fc.constantFrom('X-A', 'List-Id', 'Bcc', 'X B'), fc.oneof(fc.constant('1'), malformedText), {
      maxKeys: 2,
    }),
    scheduled_at: time,
    q: fc.oneof(fc.constantFrom('example', 'ab', '%_\\', "'"), fc.string({ unit: 'grapheme', maxLength: 210 })),
    message_id: fc.oneof(
      fc.constantFrom(...cursors).map((id) => `<${id}@example.com>`),
      malformedText,
    ),
    idempotency_key: fc.string({ maxLength: 260 }),
    created_after: time,
    created_before: time,
    expires_at: time,
    limit: fc.integer({ min: -1, max: 102 }).map(String),
    after: fc.constantFrom(...cursors),
    before: fc.constantFrom(...cursors),
    version: fc.constantFrom('1', '2', '3', '999999999', '9999999999', '0', '01', '-1', '1.0'),
    days: fc.integer({ min: -1, max: 33 }).map(String),
    tag: fc.constantFrom('a:b', 'a', ':'),
    scopes: fc.subarray(['emails:send', 'templates:write', 'emails:read', 'everything']),
    email: fc.oneof(
      fc.constantFrom(login.email, 'nobody@example.com'),
      fc.stringMatching(/^[a-z]{12}$/).map((local) => `${local}@example.com`),
    ),
    password: fc.constantFrom(login.password, 'wrong horse battery', 'short', 'x'.repeat(201)),
  };
}
