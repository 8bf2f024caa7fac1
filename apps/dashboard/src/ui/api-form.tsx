import type { ComponentProps } from 'react';

/** The form of `useApiForm`: what is typed goes to the API as it is, where a browser would judge it by rules of its own. */
export function ApiForm(props: ComponentProps<'form'>) {
  return <form {...props} noValidate />;
}
