import { TextInput, type TextInputProps } from '@mantine/core';

/** Marked as the username, so that password managers fill it in. */
export function EmailField(input: TextInputProps) {
  return (
    <TextInput label="Email" type="email" autoComplete="username" required withAsterisk={false} autoFocus {...input} />
  );
}
