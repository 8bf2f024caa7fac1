import { Code, Group, Text } from '@mantine/core';

const MAX_SHOWN = 3;

/** The first few variable names, and how many more there are. */
export function VariableNames({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    );
  }
  const more = names.length - MAX_SHOWN;
  return (
    <Group gap={6}>
      {names.slice(0, MAX_SHOWN).map((name) => (
        <Code key={name} className="breakable">
          {name}
        </Code>
      ))}
      {more > 0 && (
        <Text size="sm" c="dimmed" span>
          and {more} more
        </Text>
      )}
    </Group>
  );
}
