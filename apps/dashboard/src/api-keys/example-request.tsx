import { Box } from '@mantine/core';
import type { SampleCredential, SampleRequest } from '@posthorn/code-samples';
import type { Scope } from '@posthorn/contract';
import { useSession } from '../accounts/session';
import { CodeSamples } from '../ui/code-samples';

export function FirstEmailCode() {
  const { user } = useSession();
  const credential = { key: 'YOUR_KEY' };
  const request = buildExampleRequest({ credential, scopes: ['emails:send'], recipient: user.email });
  return (
    <Box ta="left" w="100%">
      <CodeSamples request={request} />
    </Box>
  );
}

type Input = {
  readonly credential: SampleCredential;
  readonly scopes: readonly Scope[];
  readonly recipient: string;
  /** The domain to send from; null for the platform sender. */
  readonly domain?: string | null;
};

/** A request that works at once: it sends an email, or lists emails or templates if the key may not send. */
export function buildExampleRequest({ credential, scopes, recipient, domain = null }: Input): SampleRequest {
  const url = `${window.location.origin}/api/v1/${getListable(scopes)}`;
  if (!scopes.includes('emails:send')) return { method: 'GET', url, credential, response: 'json' };
  const sender = domain === null ? {} : { from_: `hello@${domain}` };
  const body = { ...sender, to: [recipient], subject: 'Hello from Posthorn', text: 'It works.' };
  return { method: 'POST', url, credential, body, response: 'json' };
}

export function getListable(scopes: readonly Scope[]): 'emails' | 'templates' {
  return scopes.includes('emails:send') || scopes.includes('emails:read') ? 'emails' : 'templates';
}
