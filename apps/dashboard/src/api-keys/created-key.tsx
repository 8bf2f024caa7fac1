import { Text } from '@mantine/core';
import type { CreatedApiKey } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../accounts/session';
import { domainsQuery } from '../domains/queries';
import { CodeSamples } from '../ui/code-samples';
import type { GuardProps } from '../ui/guarded-modal';
import { ShownOnce } from '../ui/shown-once';
import { exampleRequest, readableBy } from './example-request';

type Props = GuardProps & { readonly created: CreatedApiKey };

/** Shows the new key, which cannot be shown again, and code to try it. The key is not stored. */
export function CreatedKey({ created: { key, scopes, domain_ids: domainIds }, ...guard }: Props) {
  const { user } = useSession();
  const { data: domains = [] } = useQuery(domainsQuery);
  const domain = domains.find(({ id }) => domainIds?.includes(id))?.name ?? null;
  return (
    <ShownOnce
      {...guard}
      value={key}
      what="key"
      warning="The key is shown only once, because we store only a hash of it. Anyone who has it can do what its scopes allow."
      ifLost="You would have to revoke it and create another one."
    >
      {(onCopied) => (
        <div onCopy={onCopied}>
          <Text size="sm" fw={600} mb={4}>
            {scopes.includes('emails:send')
              ? `Try it: send an email to ${user.email}`
              : `Try it: list ${readableBy(scopes)}`}
          </Text>
          <CodeSamples
            request={exampleRequest({ credential: { key }, scopes, recipient: user.email, domain })}
            onCopy={onCopied}
          />
        </div>
      )}
    </ShownOnce>
  );
}
