import { Alert, Stack } from '@mantine/core';
import type { Email, SendAttachment } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { findFile, toBase64 } from '../../message/message-files';
import { messageQuery, type ParsedMessage } from '../../message/queries';
import { Loaded } from '../../ui/loaded';
import { Page } from '../../ui/page';
import { ComposeSkeleton } from '../../ui/skeletons';
import { emailQuery, toMessagePath } from '../queries';
import { ComposeForm } from './compose-form';
import { emptyDraft, toDraft } from './draft';

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
  const { data, isLoading } = useQuery({ ...messageQuery(toMessagePath(email.id)), enabled: hasFiles });
  return isLoading ? <ComposeSkeleton /> : <Copy email={email} message={data ?? null} />;
}

function Copy({ email, message }: { readonly email: Email; readonly message: ParsedMessage | null }) {
  const { attachments, missing } = useMemo(() => copyFiles(email, message), [email, message]);
  return (
    <Stack gap="lg">
      <Notice email={email} missing={missing} />
      <ComposeForm draft={toDraft(email, attachments)} />
    </Stack>
  );
}

function describeRemoved({ erased_at }: Email): string {
  return erased_at === null
    ? 'The content of the old email was deleted because of its age.'
    : 'The content of the old email was erased, because one of its recipients was.';
}

/** Says what the form does not copy from the old email. @param missing the names of files */
function Notice({ email, missing }: { readonly email: Email; readonly missing: readonly string[] }) {
  const notices = [
    'This sends a new email, which counts as a new send.',
    ...(email.content_removed ? [describeRemoved(email)] : []),
    ...(email.template_id === null ? [] : ['It uses the current version of the template.']),
    ...(missing.length === 0 ? [] : [`These files could not be copied, so add them again: ${missing.join(', ')}.`]),
  ];
  return (
    <Alert role="note" className="breakable">
      {notices.join(' ')}
    </Alert>
  );
}

type CopiedFiles = {
  readonly attachments: SendAttachment[];
  readonly missing: readonly string[];
};

/** Takes the files of an email from its message. @param message null if it could not be loaded */
function copyFiles({ attachments }: Email, message: ParsedMessage | null): CopiedFiles {
  const list = (attachments ?? []).map((file) => ({ ...file, name: file.filename, contentId: file.content_id }));
  const found = list.map((file, index) => ({ file, content: message && findFile(message.files, list, index) }));
  return {
    attachments: found.flatMap(({ file, content }) =>
      content
        ? [
            {
              filename: file.filename,
              content: toBase64(content.content),
              content_type: file.content_type,
              ...(file.content_id !== null && { content_id: file.content_id }),
            },
          ]
        : [],
    ),
    missing: found.flatMap(({ file, content }) => (content ? [] : [file.filename])),
  };
}
