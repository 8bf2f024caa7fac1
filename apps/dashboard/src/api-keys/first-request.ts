type Wanted = { readonly key: string; readonly scopes: readonly string[]; readonly recipient: string };

/** A line for the shell that works when pasted, with what the key may do: send an email, or list them. */
export function firstRequest({ key, scopes, recipient }: Wanted): string {
  const list = [`curl ${window.location.origin}/api/v1/emails`, `-H 'Authorization: Bearer ${key}'`];
  if (!scopes.includes('emails:send')) return list.join(' \\\n  ');
  const email = { to: [recipient], subject: 'Hello from Posthorn', text: 'It works.' };
  const send = [...list, `-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(email))}`];
  return send.join(' \\\n  ');
}

/** For POSIX shells: an address may have an apostrophe. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
