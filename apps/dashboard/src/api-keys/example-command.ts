import type { Scope } from '@posthorn/contract';
import { shellQuote } from '../ui/shell-quote';

type CommandInput = { readonly key: string; readonly scopes: readonly Scope[]; readonly recipient: string };

/** A curl command that works as pasted: it sends an email, or lists emails or templates if the key may not send. */
export function exampleCommand({ key, scopes, recipient }: CommandInput): string {
  const listCommand = [
    `curl ${window.location.origin}/api/v1/${readableBy(scopes)}`,
    `-H 'Authorization: Bearer ${key}'`,
  ];
  if (!scopes.includes('emails:send')) return listCommand.join(' \\\n  ');
  const email = { to: [recipient], subject: 'Hello from Posthorn', text: 'It works.' };
  const sendCommand = [
    ...listCommand,
    `-H 'Content-Type: application/json'`,
    `-d ${shellQuote(JSON.stringify(email))}`,
  ];
  return sendCommand.join(' \\\n  ');
}

/** What a key with these scopes can list. */
export function readableBy(scopes: readonly Scope[]): 'emails' | 'templates' {
  return scopes.includes('emails:send') || scopes.includes('emails:read') ? 'emails' : 'templates';
}
