import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/request';
import { IconUnlink } from '../ui/icons';

/** For an incomplete, expired or used link from an email. `children` explain what to do. */
export function InvalidLink({ children }: { readonly children: ReactNode }) {
  return (
    <Alert role="alert" color="orange" title="This link does not work" icon={<IconUnlink />}>
      {children}
    </Alert>
  );
}

export function isInvalidLink(error: Error | null): boolean {
  return error instanceof ApiError && (error.problem.errors ?? []).some(({ field }) => field === 'token');
}
