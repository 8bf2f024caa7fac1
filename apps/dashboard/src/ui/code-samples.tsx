import { ScrollArea, SegmentedControl, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  codeSample,
  type SampleLanguage,
  type SampleRequest,
  sampleLanguageNames,
  sampleLanguages,
} from '@posthorn/code-samples';
import { Copyable } from './copyable';

/** The API documentation stores the chosen language under this name too. */
const STORED = 'posthorn-docs-language';

const choices = sampleLanguages.map((value) => ({ value, label: sampleLanguageNames[value] }));

type Props = { readonly request: SampleRequest; readonly onCopy?: () => void };

/** A request as code, in the language that the user chooses. */
export function CodeSamples({ request, onCopy }: Props) {
  const [language, setLanguage] = useLocalStorage<SampleLanguage>({
    key: STORED,
    defaultValue: 'curl',
    getInitialValueInEffect: false,
    serialize: (value) => value,
    deserialize: (stored) => sampleLanguages.find((each) => each === stored) ?? 'curl',
  });
  return (
    <Stack gap="xs" align="stretch">
      <ScrollArea type="never">
        <SegmentedControl aria-label="Language" size="xs" data={choices} value={language} onChange={setLanguage} />
      </ScrollArea>
      <Copyable block value={codeSample(language, request)} what="the code" {...(onCopy && { onCopy })} />
    </Stack>
  );
}
