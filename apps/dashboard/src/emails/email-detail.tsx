import { Badge, Box, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { DEFAULT_PRIORITY, type Email, type Mode, type RecipientState } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isApiError } from '../api/request';
import { MessageView } from '../message/message-view';
import { templateQuery } from '../templates/queries';
import { Copyable } from '../ui/copyable';
import { DataTable } from '../ui/data-table';
import { Fact, Facts, ListFact } from '../ui/facts';
import { toLabel } from '../ui/format';
import { InlineLink, TextLink } from '../ui/links';
import { Section } from '../ui/page';
import { ShowOlderButton } from '../ui/pager';
import { RelativeTime, Timestamp } from '../ui/timestamp';
import { Attempts, Reports, Timeline, useHistory } from './email-history';
import { changeMode } from './email-search';
import { EmailStatusBadge } from './email-table';
import { toMessagePath } from './queries';

export function EmailDetail({ email }: { readonly email: Email }) {
  const events = useHistory(email, 'events');
  const attempts = useHistory(email, 'attempts');
  return (
    <Stack gap="lg">
      <Section title="Details">
        <EmailFacts email={email} />
      </Section>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Section title="Timeline">
          {events.hasOlder && <ShowOlderButton what="events" isLoading={events.isLoading} onClick={events.showOlder} />}
          <Timeline events={events.entries} />
        </Section>
        <Section title="Recipients">
          <RecipientTable recipients={email.recipients} mode={email.mode} />
        </Section>
      </SimpleGrid>
      <EmailContent email={email} />
      <Section title="Delivery attempts">
        {attempts.entries.length === 0 ? (
          <Text c="dimmed">No delivery attempts.</Text>
        ) : (
          <Attempts attempts={attempts.entries} />
        )}
        {attempts.hasOlder && (
          <ShowOlderButton what="attempts" isLoading={attempts.isLoading} onClick={attempts.showOlder} />
        )}
      </Section>
      <Reports email={email} />
      <Section title="Headers">
        <EmailHeaders email={email} />
      </Section>
    </Stack>
  );
}

function EmailFacts({ email }: { readonly email: Email }) {
  return (
    <Facts>
      <Fact name="From">{email.from_}</Fact>
      <ListFact name="To" values={email.to} />
      <ListFact name="Cc" values={email.cc} />
      <ListFact name="Bcc" values={email.bcc} />
      <ListFact name="Reply-To" values={email.reply_to} />
      <Fact name="Accepted">
        <RelativeTime value={email.created_at} />
      </Fact>
      <Fact name="Scheduled">{email.scheduled_at && <RelativeTime value={email.scheduled_at} />}</Fact>
      <Fact name="Expires">{email.expires_at && <RelativeTime value={email.expires_at} />}</Fact>
      <Fact name="Priority">{email.priority !== DEFAULT_PRIORITY && toLabel(email.priority)}</Fact>
      <Fact name="Topic">{email.unsubscribe?.topic}</Fact>
      <Fact name="Domain">{email.domain_id && <DomainLink id={email.domain_id} name={getDomain(email.from_)} />}</Fact>
      <Fact name="Template">
        {email.template_id && <TemplateLink id={email.template_id} version={email.template_version} />}
      </Fact>
      <Fact name="Tags">{email.tags.length > 0 && <Tags tags={email.tags} mode={email.mode} />}</Fact>
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
          renderRoot={(props) => (
            <Link to="/emails" search={changeMode({ tag: `${name}:${value}` }, mode)} {...props} />
          )}
        >
          {name}: {value}
        </Badge>
      ))}
    </Group>
  );
}

function DomainLink({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <TextLink inherit to="/domains/$id" params={{ id }}>
      {name}
    </TextLink>
  );
}

/** The template may have been deleted since the email was accepted. */
function TemplateLink({ id, version }: { readonly id: string; readonly version: number | null }) {
  const { data, error } = useQuery(templateQuery(id));
  const suffix = version === null ? '' : `, version ${version}`;
  if (isApiError(error, 'not_found')) return `${id}${suffix} (deleted)`;
  return (
    <>
      <InlineLink to="/templates/$id" params={{ id }}>
        {data?.name ?? 'Template'}
      </InlineLink>
      {suffix}
    </>
  );
}

/** @param from `Shop <shop@example.com>` or the bare address */
function getDomain(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1).replace('>', '');
}

function RecipientTable({ recipients, mode }: { readonly recipients: readonly RecipientState[]; readonly mode: Mode }) {
  return (
    <DataTable
      layout="fixed"
      verticalSpacing="sm"
      aria-label="Recipients"
      isTopAligned
      rows={recipients}
      rowKey={({ kind, address }) => `${kind} ${address}`}
      columns={[
        {
          name: 'Recipient',
          cell: ({ address, kind, status, smtp_code, smtp_response }) => (
            <Stack gap={2}>
              <Text className="breakable">
                <Text span c="dimmed">
                  {toLabel(kind)}{' '}
                </Text>
                {address}
              </Text>
              <Box hiddenFrom="sm">
                <EmailStatusBadge status={status} />
              </Box>
              {smtp_response !== null && (
                <Text size="xs" ff="monospace" c="dimmed" className="breakable">
                  {formatReply(smtp_code, smtp_response)}
                </Text>
              )}
              {status === 'suppressed' && mode === 'live' && (
                <TextLink size="xs" to="/suppressions" search={{ address }}>
                  Show suppression
                </TextLink>
              )}
            </Stack>
          ),
        },
        { name: 'Status', w: '9rem', from: 'sm', cell: ({ status }) => <EmailStatusBadge status={status} /> },
      ]}
    />
  );
}

/** Most replies already contain their code. */
function formatReply(code: number | null, response: string): string {
  return code === null || response.includes(String(code)) ? response : `${code} ${response}`;
}

const page = getRouteApi('/app-layout/emails/$id');

function EmailContent({ email }: { readonly email: Email }) {
  const { id, attachments, template_vars: variables } = email;
  const { tab } = page.useSearch();
  const navigate = page.useNavigate();
  const hasVariables = variables !== null && Object.keys(variables).length > 0;
  return (
    <MessageView
      message={{
        ...email,
        path: toMessagePath(id),
        filename: `${id}.eml`,
        attachments: (attachments ?? []).map(({ filename, content_type, content_id, size }) => ({
          name: filename,
          type: content_type,
          contentId: content_id,
          size,
        })),
      }}
      removed={describeRemoval(email)}
      hasHints={email.mode === 'test'}
      more={
        hasVariables ? [{ name: 'variables', label: 'Variables', content: <Variables variables={variables} /> }] : []
      }
      open={tab}
      onOpen={(name) => void navigate({ search: { tab: name }, replace: true, resetScroll: false })}
    />
  );
}

function describeRemoval({ erased_at, content_removed }: Email): string | undefined {
  if (erased_at !== null) return 'The content of this email was erased, because one of its recipients was.';
  return content_removed ? 'The content of this email was deleted because of its age.' : undefined;
}

function Variables({ variables }: { readonly variables: Record<string, unknown> }) {
  return (
    <DataTable
      layout="fixed"
      aria-label="Template variables"
      rows={Object.entries(variables)}
      rowKey={([name]) => name}
      columns={[
        { name: 'Name', isBreakable: true, cell: ([name]) => name },
        {
          name: 'Value',
          isBreakable: true,
          cell: ([, value]) => (typeof value === 'string' ? value : JSON.stringify(value)),
        },
      ]}
    />
  );
}

function EmailHeaders({ email }: { readonly email: Email }) {
  return (
    <Facts columns={1}>
      <Fact name="Message-ID">{`<${email.message_id}>`}</Fact>
      <Fact name="Date">
        <Timestamp value={email.created_at} exact />
      </Fact>
      {Object.entries(email.headers).map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </Facts>
  );
}
