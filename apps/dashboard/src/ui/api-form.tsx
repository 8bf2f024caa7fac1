import type { ComponentProps } from 'react';

/** For `useApiForm`. Turns off the browser's validation, because the API validates the input. */
export function ApiForm(props: ComponentProps<'form'>) {
  return <form {...props} noValidate />;
}
