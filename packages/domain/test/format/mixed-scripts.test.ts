import { findMixedScriptWord } from '@posthorn/domain/format';

test.each([
  ...['Acme & Co. 24/7', 'Café Zoë', 'Яндекс', 'Яндекс Taxi', 'Ελλάς Tours', 'ΑΒΓ-Group', 'Straße №5', 'ＡＣＭＥ'],
  ...[
    '株式会社Acme',
    'Tシャツ屋',
    'ラーメン太郎',
    '서울Tech',
    '中文ㄅㄆ',
    'हिन्दी१',
    'شركة ١٢٣',
    'ไทย',
    'ᏣᎳᎩ',
    'São\u0301',
    '🎺 Brass',
    '',
  ],
])('%j is a name in which each word is in one script', (name) => {
  expect(findMixedScriptWord(name)).toBeNull();
});

test.each([
  ['PаyPal', 'PаyPal'],
  ['My Ѕupport', 'Ѕupport'],
  ['Gοοgle', 'Gοοgle'],
  ['Αcme', 'Αcme'],
  ['Асme Ltd', 'Асme'],
  ['Аррlе', 'Аррlе'],
  ['ᎪᏢple', 'ᎪᏢple'],
  ['ｃеo', 'cеo'],
  ['Ꮯео', 'Ꮯео'],
])('%j has the word %j, whose letters are from scripts that do not belong together', (name, word) => {
  expect(findMixedScriptWord(name)).toBe(word);
});
