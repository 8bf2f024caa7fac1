import { Anchor, Badge, Group } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isApiError } from '../api/request';
import { templateQuery } from '../templates/queries';
import { Copyable } from '../ui/copyable';
import { Fact, Facts } from '../ui/facts';
import { RelativeTime } from '../ui/timestamp';
import { withMode } from './email-search';

export function EmailFacts({ email }: { readonly email: Email }) {
  const addresses = [
    ['To', email.to],
    ['Cc', email.cc],
    ['Bcc', email.bcc],
    ['Reply-To', email.reply_to],
  ] as const;
  return (
    <Facts>
      <Fact name="From">{email.from_}</Fact>
      {addresses.map(
        ([name, list]) =>
          list.length > 0 && (
            <Fact key={name} name={name}>
              {list.join(', ')}
            </Fact>
          ),
      )}
      <Fact name="Accepted">
        <RelativeTime value={email.created_at} />
      </Fact>
      {email.scheduled_at !== null && (
        <Fact name="Scheduled">
          <RelativeTime value={email.scheduled_at} />
        </Fact>
      )}
      {email.expires_at !== null && (
        <Fact name="Expires">
          <RelativeTime value={email.expires_at} />
        </Fact>
      )}
      {email.priority !== 'normal' && <Fact name="Priority">{email.priority === 'high' ? 'High' : 'Bulk'}</Fact>}
      {email.unsubscribe !== null && <Fact name="Topic">{email.unsubscribe.topic}</Fact>}
      {email.domain_id !== null && (
        <Fact name="Domain">
          <DomainLink id={email.domain_id} name={domainOf(email.from_)} />
        </Fact>
      )}
      {email.template_id !== null && (
        <Fact name="Template">
          <TemplateLink id={email.template_id} version={email.template_version} />
        </Fact>
      )}
      {email.tags.length > 0 && (
        <Fact name="Tags">
          <Tags tags={email.tags} mode={email.mode} />
        </Fact>
      )}
      <Fact name="ID">
        <Copyable value={email.id} what="the email ID" />
      </Fact>
    </Facts>
  );
}

function Tags({ tags, mode }: Pick<Email, 'tags' | 'mode'>) {
  return (
    <Group gap={6}>
      {tags.map(({ name, value }) => (
        <Badge
          key={`${name}:${value}`}
          variant="default"
          tt="none"
          fw={500}
          size="lg"
          maw="100%"
          renderRoot={(props) => <Link to="/emails" search={withMode({ tag: `${name}:${value}` }, mode)} {...props} />}
        >
          {name}: {value}
        </Badge>
      ))}
    </Group>
  );
}

function DomainLink({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <Anchor inherit renderRoot={(props) => <Link {...props} to="/domains/$id" params={{ id }} />}>
      {name}
    </Anchor>
  );
}

/** The template may have been deleted since the email was accepted. */
function TemplateLink({ id, version }: { readonly id: string; readonly version: number | null }) {
  const { data, error } = useQuery(templateQuery(id));
  const suffix = version === null ? '' : `, version ${version}`;
  if (isApiError(error, 'not_found')) return `${id}${suffix} (deleted)`;
  return (
    <>
      <Anchor
        inherit
        underline="always"
        renderRoot={(props) => <Link {...props} to="/templates/$id" params={{ id }} />}
      >
        {data?.name ?? 'Template'}
      </Anchor>
      {suffix}
    </>
  );
}

/** @param from `Shop <shop@example.com>` or the bare address */
function domainOf(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1).replace('>', '');
}
