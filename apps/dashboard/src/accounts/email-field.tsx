import { TextInput, type TextInputProps } from '@mantine/core';

/** Password managers recognize the field by `username`. */
export function EmailField(input: TextInputProps) {
  return (
    <TextInput label="Email" type="email" autoComplete="username" required withAsterisk={false} autoFocus {...input} />
  );
}
