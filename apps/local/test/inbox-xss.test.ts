import { ask, closeTestInbox, compose, listIds, openTestInbox, sendMail, type TestInbox } from './inbox-client.js';

const payloads = [
  '<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)" x="',
  "' autofocus onfocus='alert(1)",
  '</title><svg onload=alert(1)>',
  '</pre></section><iframe srcdoc="<script>alert(1)</script>">',
  '</bdi></a><a href=javascript:alert(1)>x</a>',
  '<!--<img src="--><img src=x onerror=alert(1)>">',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '{{constructor.constructor("alert(1)")()}}',
  'javascript:alert(1)',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<base href="//evil.example/"><form action="//evil.example/"><button>x</button></form>',
  '<style>@import "//evil.example/x.css";</style><link rel=stylesheet href=//evil.example/x.css>',
];

let inbox: TestInbox;

beforeAll(async () => {
  inbox = await openTestInbox();
  // There is an older page from the first message on, so that all lists are alike
  await sendMail(inbox, { raw: compose({ Subject: 'The oldest' }) });
});

afterAll(() => closeTestInbox(inbox));

/** A message that bears the text wherever a message can bear text. */
function laden(text: string): string {
  const word = `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`;
  const name = `utf-8''${encodeURIComponent(text).replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)}`;
  return compose(
    {
      From: `${word} <shop@acme.example>`,
      To: `${word} <ada@example.com>`,
      Cc: `${word} <grace@example.com>`,
      'Reply-To': `${word} <help@acme.example>`,
      Subject: word,
      'X-Note': text,
      'Content-Type': 'multipart/mixed; boundary=m',
    },
    [
      '--m\nContent-Type: multipart/alternative; boundary=a\n',
      `--a\nContent-Type: text/plain; charset=utf-8\n\n${text}`,
      `--a\nContent-Type: text/html; charset=utf-8\n\n<p>${text}</p>`,
      '--a--',
      `--m\nContent-Type: text/html\nContent-Disposition: attachment; filename*=${name}\n\n${text}`,
      '--m--',
    ].join('\n'),
  );
}

/** Sends one message. @returns its list row and its page, both as markup */
async function shown(text: string): Promise<{ list: string; page: string; frame: string }> {
  await sendMail(inbox, { raw: laden(text) });
  const [id] = await listIds(inbox);
  const list = await ask(inbox, '/?limit=1');
  const page = await ask(inbox, `/messages/${id}`);
  const frame = await ask(inbox, `/messages/${id}/html`);
  return { list: list.body, page: page.body, frame: frame.body };
}

/** Every tag with its attributes, the ids of messages aside: all that can be code. */
function skeleton(markup: string): string[] {
  const tags = markup.match(/<[a-z/!][^>]*>/gi) ?? [];
  return tags.map((tag) => tag.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replace(/datetime="[^"]*"/, ''));
}

test.each(payloads)('nothing of %s becomes markup of our pages', async (payload) => {
  const harmless = await shown('harmless');
  const { list, page } = await shown(payload);

  expect(skeleton(list)).toEqual(skeleton(harmless.list));
  expect(skeleton(page)).toEqual(skeleton(harmless.page));
  expect(page).toContain('id="view-html" checked');
});

test('only addresses of the web become links', async () => {
  const hrefs = ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', "https://ok.example/'onclick=alert(1)//"];
  const html = hrefs.map((href) => `<a href="${href}">x</a>`).join('');
  await sendMail(inbox, { raw: compose({ Subject: 'Links', 'Content-Type': 'text/html' }, html) });
  const [id] = await listIds(inbox);
  const { body } = await ask(inbox, `/messages/${id}`);
  const links = [...body.matchAll(/<li><a href="([^"]*)" target="_blank" rel="noopener noreferrer">/g)];

  expect(links.map(([, href]) => href)).toEqual(['https://ok.example/']);
  expect(body).not.toMatch(/href="(?!\/|https:|data:image\/svg)/);
});

test('no page of ours allows any code but our own script', async () => {
  const [id] = await listIds(inbox);
  const policies = await Promise.all(
    ['/', `/messages/${id}`, '/messages/nothing'].map(async (path) => (await ask(inbox, path)).headers),
  );

  for (const headers of policies) {
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('the HTML itself is passed on unchanged, under a policy that runs nothing', async () => {
  const { frame } = await shown('<script>alert(1)</script>');
  const [id] = await listIds(inbox);
  const { headers } = await ask(inbox, `/messages/${id}/html`);

  expect(frame).toContain('<script>alert(1)</script>');
  expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'; (?!.*script-src)/);
});
