import type { AcceptedEmail, SendEmailRequest } from '@posthorn/contract';

/** Credentials for API calls: an API key or a session cookie. */
export type Caller = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export function withKey(url: string, key: string): Caller {
  return { url, headers: { Authorization: `Bearer ${key}` } };
}

/** @throws Error if the login fails */
export async function withSession(url: string, { email, password }: Account): Promise<Caller> {
  const response = await post({ url, headers: {} }, '/auth/login', { email, password });
  const [cookie = ''] = response.headers.getSetCookie();
  if (!response.ok) throw new Error(`The login returned ${response.status}: ${await response.text()}`);
  return { url, headers: { Cookie: cookie.replace(/;.*/, '') } };
}

type Account = { readonly email: string; readonly password: string };

/** Calls the API from outside the browser. @throws Error if the status is not 2xx */
export async function callApi<Body>(caller: Caller, method: Method, path: string, body?: object): Promise<Body> {
  const response = await request(caller, method, path, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

/** @returns the email's id */
export async function sendEmail(caller: Caller, email: SendEmailRequest): Promise<string> {
  return (await callApi<AcceptedEmail>(caller, 'POST', '/api/v1/emails', email)).id;
}

/** Returns the response regardless of its status. */
export function post(caller: Caller, path: string, body: object): Promise<Response> {
  return request(caller, 'POST', path, body);
}

function request({ url, headers }: Caller, method: Method, path: string, body?: object): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}
