import fc from 'fast-check';
import { type ParsedTemplate, parseTemplate } from '../../src/templates/parse-template.js';
import { measureRendered, renderTemplate } from '../../src/templates/render-template.js';
import type { TemplateVars } from '../../src/templates/template.js';

const names = ['a', 'b-c', 'd.e', 'toString', 'hasOwnProperty', 'valueOf', 'größe'];

const vars: fc.Arbitrary<TemplateVars> = fc.dictionary(
  fc.constantFrom(...names),
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('<b>', '&amp;', `"'`, ''),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
  ),
);

const templates: fc.Arbitrary<ParsedTemplate> = fc.array(
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.record({ name: fc.constantFrom(...names), raw: fc.boolean() })),
);

describe('renderTemplate', () => {
  test('escapes values only in html, and not in raw placeholders', () => {
    const parsed = parseTemplate('<p>{{x}}|{{{x}}}|{{&x}}</p>');
    const value = { x: `<b>"Tom" & 'Eve'</b>` };
    expect(renderTemplate(parsed, value, 'html')).toBe(
      `<p>&lt;b&gt;&quot;Tom&quot; &amp; &#39;Eve&#39;&lt;/b&gt;|<b>"Tom" & 'Eve'</b>|<b>"Tom" & 'Eve'</b></p>`,
    );
    expect(renderTemplate(parsed, value, 'none')).toBe(`<p>${`|${value.x}`.repeat(3).slice(1)}</p>`);
  });

  test('renders numbers and booleans as JavaScript does, and nothing for a variable without a value', () => {
    const parsed = parseTemplate('{{int}} {{fraction}} {{zero}} {{no}} {{empty}}{{nothing}}{{absent}}');
    const values = { int: 12, fraction: 0.1, zero: 0, no: false, empty: '', nothing: null };
    expect(renderTemplate(parsed, values, 'none')).toBe('12 0.1 0 false ');
  });

  test('does not parse values, so a placeholder in a value stays text', () => {
    expect(renderTemplate(parseTemplate('{{a}}'), { a: '{{b}}', b: 'secret' }, 'none')).toBe('{{b}}');
  });

  test.each(['toString', 'valueOf', 'hasOwnProperty', '__lookupGetter__'])(
    '{{%s}} never renders an inherited property',
    (name) => {
      expect(renderTemplate(parseTemplate(`[{{${name}}}]`), {}, 'none')).toBe('[]');
      expect(renderTemplate(parseTemplate(`[{{${name}}}]`), { [name]: 'mine' }, 'none')).toBe('[mine]');
    },
  );

  test('equals plain concatenation for any template and values', () => {
    fc.assert(
      fc.property(templates, vars, (parsed, values) => {
        const expected = parsed.map((piece) => (typeof piece === 'string' ? piece : reference(values, piece.name)));
        expect(renderTemplate(parsed, values, 'none')).toBe(expected.join(''));
      }),
    );
  });

  test('never puts markup from a value into html unless the placeholder is raw', () => {
    fc.assert(
      fc.property(vars, fc.constantFrom(...names), (values, name) => {
        const html = renderTemplate([{ name, raw: false }], values, 'html');
        expect(html).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
        expect(unescapeHtml(html)).toBe(reference(values, name));
      }),
    );
  });
});

describe('measureRendered', () => {
  test('is the number of bytes that rendering produces', () => {
    fc.assert(
      fc.property(templates, vars, fc.constantFrom('html' as const, 'none' as const), (parsed, values, escaping) => {
        expect(measureRendered(parsed, values, escaping)).toBe(
          Buffer.byteLength(renderTemplate(parsed, values, escaping)),
        );
      }),
    );
  });

  test('can measure output that would not fit in memory', () => {
    const parsed = Array.from({ length: 2_000_000 }, () => ({ name: 'x', raw: false }));
    expect(measureRendered(parsed, { x: '"'.repeat(64_000) }, 'html')).toBe(2_000_000 * 64_000 * '&quot;'.length);
  });
});

function reference(values: TemplateVars, name: string): string {
  const value = Object.getOwnPropertyDescriptor(values, name)?.value;
  return value === undefined || value === null ? '' : `${value}`;
}

function unescapeHtml(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
