import { limits } from '@posthorn/domain/limits';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { path } from './template-client.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
});
afterAll(() => t.close());

const html = `<style>p { color: red }</style><h1>Hello {{name}}</h1><p>Open your <a href="https://shop.example/{{id}}">order</a>
  &amp; smile.</p><img src="https://shop.example/logo.png" alt="Logo"><ul><li>One</li><li>Two</li></ul>`;
const text = 'Hello {{name}}\n\nOpen your order (https://shop.example/{{id}}) & smile.\n\n * One\n * Two';
const fields = { name: 'Order', subject: 'Your order', html_body: html, text_from_html: true };

type WithVariables = { variables: { name: string }[] };

const listNames = ({ variables }: WithVariables) => variables.map(({ name }) => name);
const create = (body: object) => t.api.post(path).set(t.auth).send(body);

describe('text_from_html', () => {
  test('generates the text when a template is created and when it is changed', async () => {
    const { status, body } = await create(fields);
    expect(status).toBe(201);
    expect(body).toMatchObject({ text_body: text, html_body: html });
    expect(listNames(body)).toEqual(['name', 'id']);
    const changed = await t.api
      .patch(`${path}/${body.id}`)
      .set(t.auth)
      .send({ html_body: '<p>Bye</p>', text_from_html: true });
    expect(changed.body).toMatchObject({ text_body: 'Bye', version: 2 });
  });

  const longUrl = `https://shop.example/${'path/'.repeat(40)}?a={{ first }}&copy={{&copy_url}}`;
  test.each([
    ['{{&notes}} {{&section}}', '{{&notes}} {{&section}}', ['notes', 'section']],
    ['{{&amp2}}', '{{&amp2}}', ['amp2']],
    ['{{{a}}} {{ b }}{{&sect}}1', '{{{a}}} {{ b }}{{&sect}}1', ['a', 'b', 'sect']],
    [`<a href="${longUrl}">Pay</a>`, `Pay (${longUrl})`, ['first', 'copy_url']],
    ['<a href={{ url }}>Pay</a>', 'Pay ({{ url }})', ['url']],
    ['<a href="{{&lt_url}}">{{&lt_url}}</a>', '{{&lt_url}}', ['lt_url']],
    ['<pre>One\n{{! <b>comment</b> &#125;&#125; }}\nTwo {{name}}</pre>', 'One\nTwo {{name}}', ['name']],
  ])('keeps the placeholders of %s', async (source, text_body, names) => {
    const { status, body } = await create({ ...fields, html_body: source });
    expect(status).toBe(201);
    expect(body.text_body).toBe(text_body);
    expect(listNames(body)).toEqual(names);
  });

  test.each([
    ['<a href="https://a.example"><img src="x.png" alt="Acme logo"></a>', 'Acme logo (https://a.example)'],
    ['<div style="Display: none; max-height:0">Shipped<div>\u200c&nbsp;</div></div><p>Hello</p>', 'Hello'],
    [
      '<table><tr><th>Item</th><th>Price</th></tr><tr><td>Book</td><td>{{price}}</td></tr></table>',
      'Item Price\nBook {{price}}',
    ],
    [
      `<div>Your order has shipped${'&nbsp;&zwnj; &#847;'.repeat(30)}</div><p>Hello</p>`,
      'Your order has shipped\n\nHello',
    ],
    [`<div>${'&#8199;&shy;'.repeat(9)}</div><p>Hello</p>`, 'Hello'],
    ['<p>می\u200cخواهم</p>', 'می\u200cخواهم'],
    ['<template>Draft</template><p>Hello</p>', 'Hello'],
    ['<html><head><title>Shop</title></head><body><p hidden>x</p>Hi</body></html>', 'Hi'],
    ['<td style="font-size:0px;padding:20px 0"><div style="font-size:13px">Hello Jane</div></td>', 'Hello Jane'],
    ['<div style="display : none">Preheader</div><p>Hello</p>', 'Hello'],
    ["<div class=a style='color:red;\n DISPLAY:\tNone !important'>Preheader</div><p>Hello</p>", 'Hello'],
    ['<div style="opacity:0;color:#fff">Preheader</div><p style="opacity:0.9">Hello</p>', 'Hello'],
    ['<div style="max-width:0px">Preheader</div><p style="max-width:600px">Hello</p>', 'Hello'],
    ['<p style="max-height:0.8em">Hello</p><p style="max-height:0.0em">x</p>', 'Hello'],
    ['<p style="display:none;display:block">Hello</p>', 'Hello'],
    [
      '<p title="a > b" style="display:none">x</p><p>Write style="display:none" to hide</p>',
      'Write style="display:none" to hide',
    ],
    ['<dl><dt>Item</dt><dd>Price</dd><dt>Book</dt><dd>5</dd></dl>', 'Item\nPrice\nBook\n5'],
    ['<figure><img src="a.png"><figcaption>Chart</figcaption></figure><address>Acme</address>', 'Chart\nAcme'],
    ['<p>Hello</p><p style="font-size:0.9em">Terms</p>', 'Hello\n\nTerms'],
    ['<a href="https://a.example/pay" style="mso-hide:all">Pay now</a>', 'Pay now (https://a.example/pay)'],
    [
      '<a href="https://x.example"><img src="a.png"></a><a href="https://x.example"><img src="b.png" alt="Shop"></a>',
      'https://x.example Shop (https://x.example)',
    ],
    [
      '<b><a href="{{a}}"><img></a></b><i><a href="{{b}}"><img></a></i>, <a href="https://a.example">one</a>.',
      '{{a}} {{b}}, one (https://a.example).',
    ],
    [
      '<p>(<a href="https://a.example"><img alt="Logo">Shop<img alt="Cart"></a>)<a href="https://b.example">Help</a></p>',
      '(Logo Shop Cart (https://a.example))Help (https://b.example)',
    ],
    ['<style>.pre{display:none}</style><div class="a pre">Preheader</div><p class="prefix">Hello</p>', 'Hello'],
    ['<style>#top { MAX-HEIGHT: 0px }</style><div id=top>Preheader</div><p>Hello</p>', 'Hello'],
    ['<style>a,\ndiv.pre{opacity:0}</style><div class=pre>Preheader</div><p class="pre">Hello</p>', 'Hello'],
    ['<style>.p{visibility:hidden}/* .a{display:none} */</style><i class=p>x</i><p class=a>Hello</p>', 'Hello'],
    ['<style>.p{mso-hide:all;font-size:1px}</style><i class=p>x</i><p>Hello</p>', 'Hello'],
    ['<style>.p{font-size:0}</style><i class=p>x</i><p class=p><b style="font-size:9px">Hello</b></p>', 'Hello'],
    ['<style>@import "a";.p{display:none}</style><i class=p style="color:red">x</i><p>Hello</p>', 'Hello'],
    ['<style>.p{display:none}</style><p class=p style="display:block">Hello</p>', 'Hello'],
    ['<style>.p{display:none!important}</style><i class=p style="display:block">x</i><p>Hello</p>', 'Hello'],
    [
      '<style>@media print{.a{color:red}.p{display:none}}.q{display:none}</style><p class=p>Hello<i class=q>x</i></p>',
      'Hello',
    ],
    ['<!--[if mso]><style>.p{display:none}</style><![endif]--><p class=p>Hello</p>', 'Hello'],
    ['<style media="print">.p{display:none}</style><p class=p>Hello</p>', 'Hello'],
    ['<style><!-- .p{display:none} --></style><i class=p>x</i><p>Hello</p>', 'Hello'],
    ['<style>.a{color:{{color}}}.p{display:none}</style><i class=p>x</i><p>Hello</p>', 'Hello'],
    ['<div style="height:0;overflow:hidden">Preheader</div><p style="height:0">Hello</p>', 'Hello'],
    [
      '<div style="position:absolute;left:-9999px">Preheader</div><p style="position:absolute;left:-9px">Hello</p>',
      'Hello',
    ],
    ['<div style="font-size:0">Preheader</div><p>Hello</p>', 'Hello'],
  ])('has what a person would read in %s', async (source, text_body) => {
    expect((await create({ ...fields, html_body: source })).body).toMatchObject({ text_body });
  });

  test.each([
    ['&#123;&#123;name&#125;&#125;', '{ {name}}', '{ {name}}', []],
    ['&lbrace;&lbrace;{name}}}', '{ { {name}}}', '{ { {name}}}', []],
    ['&#x7b;&#x7b;#if a&#x7d;&#x7d;', '{ {#if a}}', '{ {#if a}}', []],
    ['{<b>{name}</b>}', '{ {name}}', '{ {name}}', []],
    ['&#123;{{name}}&#125;', '{ {{name}}}', '{ Ada}', ['name']],
    ['&#123;{{{name}}}&#125; {', '{ {{{name}}}} {', '{ Ada} {', ['name']],
  ])('keeps the literal braces of %s', async (source, text_body, text, names) => {
    const { status, body } = await create({ ...fields, html_body: source });
    expect(status).toBe(201);
    expect(body.text_body).toBe(text_body);
    expect(listNames(body)).toEqual(names);
    const preview = await t.api
      .post(`${path}/${body.id}/preview`)
      .set(t.auth)
      .send({ template_vars: { name: 'Ada' } });
    expect(preview.body).toMatchObject({ text, missing: [] });
  });

  test('reports an error in html_body once, for html_body', async () => {
    const { status, body } = await create({ ...fields, html_body: '<p>\n{{#if}}' });
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: 'html_body', message: expect.stringMatching(/^has an error at line 2, column 1: sections are/) },
    ]);
  });

  test.each([
    [{ text_body: 'Mine' }, 'text_body', 'cannot be combined with text_from_html, which generates it'],
    [{ text_from_html: false }, 'text_body', 'is required'],
    [{ text_from_html: 'yes' }, 'text_from_html', 'must be true or false'],
    [{ html_body: '<img src="a.png">' }, 'text_from_html', 'finds no text in html_body. Write text_body yourself'],
    [
      { html_body: 'x'.repeat(limits.derivedText.max + 1) },
      'text_from_html',
      'supports an html_body of up to 250,000 characters; this one has 250,001. Write text_body yourself',
    ],
  ])('refuses %j', async (changes, field, message) => {
    const { status, body } = await create({ ...fields, ...changes });
    expect(status).toBe(422);
    expect(body.errors).toContainEqual({ field, message: expect.stringContaining(message) });
  });

  test('needs html_body in a change, because the stored one may change at the same time', async () => {
    const { body } = await create(fields);
    const refused = await t.api.patch(`${path}/${body.id}`).set(t.auth).send({ text_from_html: true });
    expect(refused.body.errors).toEqual([
      { field: 'text_from_html', message: 'requires html_body, because the text is generated from it' },
    ]);
  });

  test.each([
    ['<style'],
    ['<style>'],
    ['<!--'],
    ['<style>/*'],
    ['<style>@x{a{}'],
    ['<style>@'],
    ['<style>.a{'],
    ['<style>.a{top:0}</style><i class=a>'],
    ['<i class="a" '],
    ['<p style="font-size:0">'],
    ['<a href="x"><img alt="y">'],
  ])('is fast with much of %s', async (source) => {
    const html_body = `<p>Hello</p>${source.repeat(limits.derivedText.max / source.length - 100)}`;
    const start = performance.now();
    await create({ ...fields, html_body });
    expect(performance.now() - start).toBeLessThan(4_000);
  });

  test('does not keep other requests waiting while the HTML is read', async () => {
    const deep = '<b>x'.repeat(limits.derivedText.max / 4);
    let derived = false;
    const slow = create({ ...fields, html_body: deep }).then(() => {
      derived = true;
    });
    await t.api.get('/healthz');
    expect(derived).toBe(false);
    await slow;
  });
});
