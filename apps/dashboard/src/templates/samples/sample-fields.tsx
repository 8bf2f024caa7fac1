import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { Section } from '../../ui/section';
import { type Samples, sampleValue } from './samples';

type Props = {
  readonly names: readonly string[];
  readonly samples: Samples;
  readonly onChange: (name: string, value: string) => void;
  /** The API's messages by field, such as `template_vars.name`. */
  readonly errors: Readonly<Record<string, string>>;
};

/** One field for each variable in the content. */
export function SampleFields({ names, samples, onChange, errors }: Props) {
  return (
    <Section
      title="Variables"
      description="Sample values for the preview and test emails, kept only in this tab. An empty field counts as missing."
    >
      {names.length === 0 ? (
        <Text size="sm">No variables yet. Add {'{{first_name}}'} to the content, and its field appears here.</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {names.map((name) => (
            <TextInput
              key={name}
              label={name}
              className="breakable"
              value={sampleValue(samples, name)}
              onChange={(event) => onChange(name, event.currentTarget.value)}
              error={errors[`template_vars.${name}`]}
            />
          ))}
        </SimpleGrid>
      )}
    </Section>
  );
}
