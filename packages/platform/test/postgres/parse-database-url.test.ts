import { parseDatabaseUrl } from '../../src/postgres/parse-database-url.js';

describe('parseDatabaseUrl', () => {
  test.each(['postgres://host/db', 'postgresql://user:p%40ss@host:6432/db?sslmode=require', 'postgres:///db'])(
    'leaves a URL with one host as it is: %s',
    (url) => {
      expect(parseDatabaseUrl(url)).toEqual({ urls: [url], mustBeWritable: false });
    },
  );

  test('returns one URL per host, all with the same user, database and options', () => {
    const text =
      'postgres://user:secret@one:5432,two,[2001:db8::1]:6432/db?sslmode=require&target_session_attrs=read-write';
    expect(parseDatabaseUrl(text)).toEqual({
      urls: [
        'postgres://user:secret@one:5432/db?sslmode=require',
        'postgres://user:secret@two/db?sslmode=require',
        'postgres://user:secret@[2001:db8::1]:6432/db?sslmode=require',
      ],
      mustBeWritable: true,
    });
  });

  test('accepts target_session_attrs for a single host', () => {
    expect(parseDatabaseUrl('postgres://host/db?target_session_attrs=read-write')).toEqual({
      urls: ['postgres://host/db'],
      mustBeWritable: true,
    });
    expect(parseDatabaseUrl('postgres://host/db?target_session_attrs=any')?.mustBeWritable).toBe(false);
  });

  test.each([
    'mysql://host/db',
    'host/db',
    'postgres://one,two/db',
    'postgres://one,two/db?target_session_attrs=any',
    'postgres://host/db?target_session_attrs=standby',
    'postgres://one:5432,two:port/db?target_session_attrs=read-write',
  ])('refuses %s', (text) => {
    expect(parseDatabaseUrl(text)).toBeNull();
  });
});
