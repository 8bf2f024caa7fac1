/** Whoever calls: an API key, or the cookie of a session. */
export type Caller = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export function withKey(url: string, key: string): Caller {
  return { url, headers: { Authorization: `Bearer ${key}` } };
}

/** @throws Error when the log-in is refused */
export async function withSession(url: string, { email, password }: Account): Promise<Caller> {
  const answer = await post({ url, headers: {} }, '/auth/login', { email, password });
  const [cookie = ''] = answer.headers.getSetCookie();
  if (!answer.ok) throw new Error(`The log-in was answered with ${answer.status}: ${await answer.text()}`);
  return { url, headers: { Cookie: cookie.replace(/;.*/, '') } };
}

type Account = { readonly email: string; readonly password: string };

/** Calls the API from outside the browser. @throws Error for everything that is not a 2xx */
export async function callApi<Answer>(caller: Caller, method: Method, path: string, body?: object): Promise<Answer> {
  const answer = await ask(caller, method, path, body);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** The same, whatever the answer is. */
export function post(caller: Caller, path: string, body: object): Promise<Response> {
  return ask(caller, 'POST', path, body);
}

function ask({ url, headers }: Caller, method: Method, path: string, body?: object): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}
