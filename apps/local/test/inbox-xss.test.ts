import {
  closeTestInbox,
  compose,
  listIds,
  openTestInbox,
  sendMail,
  sendRequest,
  type TestInbox,
} from './inbox-client.js';

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
  // With one older message, every list has an Older link, so all lists have the same markup.
  await sendMail(inbox, { raw: compose({ Subject: 'The oldest' }) });
});

afterAll(() => closeTestInbox(inbox));

/** A message with this text in every place that can hold text. */
function composeWithPayload(text: string): string {
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

/** Sends one message. @returns the markup of its list, its page and its frame */
async function renderPayload(text: string): Promise<{ list: string; page: string; frame: string }> {
  await sendMail(inbox, { raw: composeWithPayload(text) });
  const [id] = await listIds(inbox);
  const list = await sendRequest(inbox, '/?limit=1');
  const page = await sendRequest(inbox, `/messages/${id}`);
  const frame = await sendRequest(inbox, `/messages/${id}/html`);
  return { list: list.body, page: page.body, frame: frame.body };
}

/** All tags with their attributes, without message IDs and times. */
function extractTags(markup: string): string[] {
  const tags = markup.match(/<[a-z/!][^>]*>/gi) ?? [];
  return tags.map((tag) => tag.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replace(/datetime="[^"]*"/, ''));
}

test.each(payloads)('%s adds no markup to the pages', async (payload) => {
  const harmless = await renderPayload('harmless');
  const { list, page } = await renderPayload(payload);

  expect(extractTags(list)).toEqual(extractTags(harmless.list));
  expect(extractTags(page)).toEqual(extractTags(harmless.page));
  expect(page).toContain('id="view-html" checked');
});

test('only http and https URLs become links', async () => {
  const hrefs = ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', "https://ok.example/'onclick=alert(1)//"];
  const html = hrefs.map((href) => `<a href="${href}">x</a>`).join('');
  await sendMail(inbox, { raw: compose({ Subject: 'Links', 'Content-Type': 'text/html' }, html) });
  const [id] = await listIds(inbox);
  const { body } = await sendRequest(inbox, `/messages/${id}`);
  const links = [...body.matchAll(/<li><a href="([^"]*)" target="_blank" rel="noopener noreferrer">/g)];

  expect(links.map(([, href]) => href)).toEqual(['https://ok.example/']);
  expect(body).not.toMatch(/href="(?!\/|https:|data:image\/svg)/);
});

test('the Content-Security-Policy of every page allows only the inbox script', async () => {
  const [id] = await listIds(inbox);
  const policies = await Promise.all(
    ['/', `/messages/${id}`, '/messages/nothing'].map(async (path) => (await sendRequest(inbox, path)).headers),
  );

  for (const headers of policies) {
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('message HTML is served unchanged with a policy that blocks scripts', async () => {
  const { frame } = await renderPayload('<script>alert(1)</script>');
  const [id] = await listIds(inbox);
  const { headers } = await sendRequest(inbox, `/messages/${id}/html`);

  expect(frame).toContain('<script>alert(1)</script>');
  expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'; (?!.*script-src)/);
});
