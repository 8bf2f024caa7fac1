import { TextInput, type TextInputProps } from '@mantine/core';

/** `username` lets password managers recognize the field. */
export function EmailField(input: TextInputProps) {
  return (
    <TextInput label="Email" type="email" autoComplete="username" required withAsterisk={false} autoFocus {...input} />
  );
}
