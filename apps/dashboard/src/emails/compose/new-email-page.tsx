import { Alert, Stack } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ParsedMessage } from '../../message/parse-message';
import { messageQuery } from '../../message/queries';
import { Loaded } from '../../ui/loaded';
import { Page } from '../../ui/page';
import { emailQuery, messagePath } from '../queries';
import { ComposeForm } from './compose-form';
import { ComposeSkeleton } from './compose-skeleton';
import { copyFiles } from './copied-files';
import { draftFrom, emptyDraft } from './draft';

const page = getRouteApi('/app-layout/emails/new');

export function NewEmailPage() {
  const { from } = page.useSearch();
  return (
    <Page title={from === undefined ? 'New email' : 'Send again'}>
      {from === undefined ? <ComposeForm draft={emptyDraft} /> : <SendAgain key={from} id={from} />}
    </Page>
  );
}

function SendAgain({ id }: { readonly id: string }) {
  return (
    <Loaded query={useQuery({ ...emailQuery(id), refetchInterval: false })} skeleton={<ComposeSkeleton />}>
      {(email) => <EmailCopy email={email} />}
    </Loaded>
  );
}

/** The email itself only names its files, so their content comes from its message. */
function EmailCopy({ email }: { readonly email: Email }) {
  const hasFiles = (email.attachments ?? []).length > 0 && !email.content_removed;
  const { data, isLoading } = useQuery({ ...messageQuery(messagePath(email.id)), enabled: hasFiles });
  return isLoading ? <ComposeSkeleton /> : <Copy email={email} message={data ?? null} />;
}

function Copy({ email, message }: { readonly email: Email; readonly message: ParsedMessage | null }) {
  const { attachments, missing } = useMemo(() => copyFiles(email, message), [email, message]);
  return (
    <Stack gap="lg">
      <Notice email={email} missing={missing} />
      <ComposeForm draft={draftFrom(email, attachments)} />
    </Stack>
  );
}

function removedNotice({ erased_at }: Email): string {
  return erased_at === null
    ? 'The content of the old email was deleted because of its age.'
    : 'The content of the old email was erased, because one of its recipients was.';
}

/** Says what the form does not copy from the old email. @param missing the names of files */
function Notice({ email, missing }: { readonly email: Email; readonly missing: readonly string[] }) {
  const notices = [
    'This sends a new email, which counts as a new send.',
    ...(email.content_removed ? [removedNotice(email)] : []),
    ...(email.template_id === null ? [] : ['It uses the current version of the template.']),
    ...(missing.length === 0 ? [] : [`These files could not be copied, so add them again: ${missing.join(', ')}.`]),
  ];
  return (
    <Alert variant="light" role="note" className="breakable">
      {notices.join(' ')}
    </Alert>
  );
}
