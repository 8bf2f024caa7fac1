import fc from 'fast-check';
import Mustache from 'mustache';
import { limits } from '../../src/limits/limits.js';
import { parseTemplate, TemplateSyntaxError } from '../../src/templates/parse-template.js';
import { renderTemplate } from '../../src/templates/render-template.js';

describe('parseTemplate', () => {
  test('keeps literal text unchanged and finds every variable', () => {
    expect(parseTemplate('  Hi {{name}},\r\n\t{{ total }} due\n')).toEqual([
      '  Hi ',
      { name: 'name', raw: false },
      ',\r\n\t',
      { name: 'total', raw: false },
      ' due\n',
    ]);
  });

  test.each(['{{{body}}}', '{{&body}}', '{{& body }}', '{{{ body }}}', '{{ {body}}}'])(
    '%s is a raw variable',
    (source) => {
      expect(parseTemplate(source)).toEqual([{ name: 'body', raw: true }]);
    },
  );

  test.each([
    'first_name',
    'first-name',
    'user.name',
    '42',
    'größe',
    'имя',
    'नाम',
    'toString',
    'hasOwnProperty',
    'n'.repeat(100),
  ])('%s is a valid variable name', (name) => {
    expect(parseTemplate(`{{${name}}}`)).toEqual([{ name, raw: false }]);
  });

  test.each([
    ['{{#items}}x{{/items}}', 1, 1, 'sections are not supported'],
    ['a\nb {{^paid}}', 2, 3, 'inverted sections are not supported'],
    ['{{/items}}', 1, 1, 'there is none to close'],
    ['{{a}}\n\n  {{> footer }}', 3, 3, 'partials are not supported'],
    ['{{=<% %>=}}', 1, 1, 'delimiters cannot be changed'],
    ['ünïcödé 👍 {{a', 1, 11, 'End it with }}'],
    ['{{{a}} b', 1, 1, 'End it with }}}'],
    ['{{}}', 1, 1, '"" is not a valid variable name'],
    ['{{first name}}', 1, 1, '"first name" is not a valid variable name'],
    ['{{.}}', 1, 1, '"." is not a valid variable name'],
    ['{{a|b}}', 1, 1, 'is not a valid variable name'],
    ['{{{{a}}}}', 1, 1, 'is not a valid variable name'],
    ['{{__proto__}}', 1, 1, 'the variable name __proto__ is reserved'],
    ['{{ constructor }}', 1, 1, 'the variable name constructor is reserved'],
    ['{{{prototype}}}', 1, 1, 'the variable name prototype is reserved'],
    [`{{${'n'.repeat(101)}}}`, 1, 1, 'is not a valid variable name'],
    [`{{${'n'.repeat(200)}}}`, 1, 1, 'the tag has 204 characters; the limit is 150'],
  ])('%j is refused at line %i, column %i', (source, line, column, reason) => {
    expect(() => parseTemplate(source)).toThrow(TemplateSyntaxError);
    expect(() => parseTemplate(source)).toThrow(`has an error at line ${line}, column ${column}: `);
    expect(() => parseTemplate(source)).toThrow(reason);
  });

  test('accepts as many placeholders as the limit allows, and not one more', () => {
    const { max } = limits.templateTags;
    expect(parseTemplate('{{a}}'.repeat(max))).toHaveLength(max);
    expect(() => parseTemplate('{{a}}'.repeat(max + 1))).toThrow('more than 2,000 placeholders');
  });

  test('counts comments as placeholders, because they take just as long to parse', () => {
    const { max } = limits.templateTags;
    expect(parseTemplate(`${'{{!x}}'.repeat(max - 1)}{{a}}`)).toEqual([{ name: 'a', raw: false }]);
    expect(() => parseTemplate('{{!}}'.repeat(400_000))).toThrow(
      `has an error at line 1, column ${5 * max + 1}: there are more than 2,000 placeholders`,
    );
  });

  test('reports where an error is, even after a million lines or in a line of a million characters', () => {
    expect(() => parseTemplate(`${'\n'.repeat(1_000_000)}👍{{#a}}`)).toThrow('at line 1000001, column 2: ');
    expect(() => parseTemplate(`${'👍'.repeat(1_000_000)}{{#a}}`)).toThrow('at line 1, column 1000001: ');
  });

  // Each of these keeps mustache's own scanner busy for minutes.
  test.each([
    ['an open tag before a million spaces', `{{a${' '.repeat(1_000_000)}`],
    ['an open comment before a million spaces', `{{! a${' '.repeat(1_000_000)}`],
    ['a tag that holds a million spaces', `{{a${' '.repeat(1_000_000)}b}}`],
    ['a hundred thousand open tags', '{{a '.repeat(100_000)],
  ])('refuses %s at once', (_what, source) => {
    expect(() => parseTemplate(source)).toThrow(TemplateSyntaxError);
  });

  test('always reports where and why parsing fails', () => {
    const sources = fc.array(
      fc.constantFrom('{', '}', '{{', '}}', '{{{', '}}}', '!', '&', '#', '=', '/', ' ', '\n', 'a', 'b.c', '👍'),
    );
    fc.assert(
      fc.property(sources, (parts) => {
        try {
          parseTemplate(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateSyntaxError);
          expect((error as Error).message).toMatch(/^has an error at line \d+, column \d+: ./);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('renders accepted templates as mustache does, including lines with comments', () => {
    const sources = fc.array(
      fc.constantFrom(
        '{{a}}',
        '{{{b}}}',
        '{{& c }}',
        '{{!x}}',
        '{{! y\n z }}',
        '{',
        '}',
        '}}',
        '{ {',
        ' ',
        '\t',
        '\n',
        '\r\n',
        'hi!',
        '<>&',
      ),
    );
    const vars = { a: '<1>', b: '<2>', c: '' };
    const escapeValue = (value: string) => renderTemplate(parseTemplate('{{v}}'), { v: value }, 'html');
    fc.assert(
      fc.property(sources, (parts) => {
        const source = parts.join('');
        expect(renderTemplate(parse(source), vars, 'html')).toBe(reference(source));
      }),
      { numRuns: 5_000 },
    );

    function parse(source: string) {
      try {
        return parseTemplate(source);
      } catch {
        return ['refused'];
      }
    }

    function reference(source: string): string {
      try {
        const tokens = Mustache.parse(source);
        const isSupported = tokens.every(
          ([type, name]) => type === 'text' || type === '!' || ['a', 'b', 'c'].includes(name),
        );
        return isSupported ? Mustache.render(source, vars, {}, { escape: escapeValue }) : 'refused';
      } catch {
        return 'refused';
      }
    }
  });
});
