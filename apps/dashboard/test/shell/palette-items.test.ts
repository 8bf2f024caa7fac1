import { paletteItems } from '../../src/shell/palette-items';

const ID = '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370';
const labelsFor = (text: string) => paletteItems(text).map(({ label }) => label);

test('an empty text lists every page', () => {
  expect(labelsFor('')).toEqual(expect.arrayContaining(['Overview', 'Test mail', 'Write an email']));
});

test('a text finds pages by any part of their names, and can be searched for', () => {
  expect(labelsFor('EM')).toEqual(['Emails', 'Templates', 'Write an email', 'Create a template']);
  expect(labelsFor(' mail te ')).toEqual(['Test mail', 'Write an email', 'Search emails for “mail te”']);
  expect(paletteItems('50% & more')).toEqual([
    { label: 'Search emails for “50% & more”', to: '/emails?q=50%25%20%26%20more' },
  ]);
});

test.each([ID, `<${ID}@mail.example.com>`, ID.toUpperCase()])('%s opens an email', (text) => {
  expect(paletteItems(text).map(({ to }) => to.toLowerCase())).toEqual([`/emails/${ID}`]);
});
