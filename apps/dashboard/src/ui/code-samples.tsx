import { ScrollArea, SegmentedControl, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  type SampleLanguage,
  type SampleRequest,
  sampleLanguageNames,
  sampleLanguages,
  writeCodeSample,
} from '@posthorn/code-samples';
import { Copyable } from './copyable';

export function CodeSamples({
  request,
  onCopy,
}: {
  readonly request: SampleRequest;
  readonly onCopy?: (() => void) | undefined;
}) {
  return (
    <LanguageTabs
      names={sampleLanguageNames}
      codeIn={(language) => writeCodeSample(language, request)}
      onCopy={onCopy}
    />
  );
}

/** The API documentation stores the chosen language under this name too. */
const STORED = 'posthorn-docs-language';

type LanguageTabsProps = {
  readonly names: Readonly<Record<SampleLanguage, string>>;
  readonly codeIn: (language: SampleLanguage) => string;
  readonly onCopy?: (() => void) | undefined;
};

/** The same code in several languages. The chosen one is remembered for all samples. */
export function LanguageTabs({ names, codeIn, onCopy }: LanguageTabsProps) {
  const [language, setLanguage] = useLocalStorage<SampleLanguage>({
    key: STORED,
    defaultValue: 'curl',
    getInitialValueInEffect: false,
    serialize: (value) => value,
    deserialize: (stored) => sampleLanguages.find((each) => each === stored) ?? 'curl',
  });
  const choices = sampleLanguages.map((value) => ({ value, label: names[value] }));
  return (
    <Stack gap="xs" align="stretch">
      <ScrollArea type="never">
        <SegmentedControl aria-label="Language" size="xs" data={choices} value={language} onChange={setLanguage} />
      </ScrollArea>
      <Copyable block value={codeIn(language)} what="the code" onCopy={onCopy} />
    </Stack>
  );
}
