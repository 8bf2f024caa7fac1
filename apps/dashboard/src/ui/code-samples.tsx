import { type SampleRequest, sampleLanguageNames, writeCodeSample } from '@posthorn/code-samples';
import { LanguageTabs } from './language-tabs';

type Props = { readonly request: SampleRequest; readonly onCopy?: () => void };

/** A request as code, in the language that the user chooses. */
export function CodeSamples({ request, onCopy }: Props) {
  return (
    <LanguageTabs
      names={sampleLanguageNames}
      codeIn={(language) => writeCodeSample(language, request)}
      {...(onCopy && { onCopy })}
    />
  );
}
