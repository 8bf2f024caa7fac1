import { parseArticle } from '../../src/docs/pages/markdown.js';
import { fillPlaceholders } from '../../src/docs/pages/placeholders.js';

const text = `# Title

Before the sections

<a id="first"></a>

## First section

At most \${limits.batch} emails, see [errors](errors.md#conflict) and \`GET /api/v1/emails\`.

\`\`\`http
POST /api/v1/emails
Authorization: Bearer $POSTHORN_API_KEY

{"to": ["jane@example.com"]}
\`\`\`

<a id="second"></a>

## Second section

| Code | Meaning |
| --- | --- |
| <a id="conflict"></a>\`conflict\` | {{name}} |
`;

test('fills in values, and fails for a name that the code does not know', () => {
  expect(fillPlaceholders(text, { limits: { batch: '100' } }, 'x.md')).toContain('At most 100 emails');
  expect(() => fillPlaceholders(text, { limits: {} }, 'x.md')).toThrow(
    /^x\.md has the unknown placeholder \$\{limits\.batch\}\.$/,
  );
  expect(() => fillPlaceholders(text, { limits: 'none' }, 'x.md')).toThrow('limits.batch');
});

test('reads sections, with links to calls and other files, samples in every language and rows with ids', () => {
  const linkTo = (code: string) => (code === 'GET /api/v1/emails' ? '/docs/reference/emails#listEmails' : undefined);
  const { title, intro, sections } = parseArticle(text, linkTo);
  expect([title, intro.trim()]).toEqual(['Title', '<p>Before the sections</p>']);
  expect(sections.map((section) => [section.id, section.title])).toEqual([
    ['first', 'First section'],
    ['second', 'Second section'],
  ]);
  const [first = '', second = ''] = sections.map(({ html }) => html);
  expect(first).toContain('<a href="/docs#conflict">errors</a>');
  expect(first).toContain('<a href="/docs/reference/emails#listEmails"><code>GET /api/v1/emails</code></a>');
  expect(first).toContain('curl https://mail.example.com/api/v1/emails');
  expect(first).toContain('http.NewRequest(&quot;POST&quot;');
  expect(second).toContain('<tr id="conflict"><td><code>conflict</code></td><td>{{name}}</td></tr>');
});
