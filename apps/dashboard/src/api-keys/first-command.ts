import type { Scope } from '@posthorn/contract';
import { shellQuote } from '../ui/shell-quote';

type Wanted = { readonly key: string; readonly scopes: readonly Scope[]; readonly recipient: string };

/** A line for the shell that works when pasted, with what the key may do: send an email, or list them. */
export function firstCommand({ key, scopes, recipient }: Wanted): string {
  const list = [`curl ${window.location.origin}/api/v1/emails`, `-H 'Authorization: Bearer ${key}'`];
  if (!scopes.includes('emails:send')) return list.join(' \\\n  ');
  const email = { to: [recipient], subject: 'Hello from Posthorn', text: 'It works.' };
  const send = [...list, `-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(email))}`];
  return send.join(' \\\n  ');
}
