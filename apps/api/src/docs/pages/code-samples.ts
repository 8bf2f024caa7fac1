import { type SampleLanguage, sampleLanguageNames, sampleLanguages } from '@posthorn/code-samples';
import { codeBlock } from './code-block.js';

type Samples = {
  readonly codeIn: (language: SampleLanguage) => string;
  readonly names?: Readonly<Record<SampleLanguage, string>>;
};

/**
 * The same code in every language, one of them visible. The style sheet shows the sample of the checked language, so
 * choosing one needs no script.
 * @param group unique on its page
 */
export function codeSamples({ codeIn, names = sampleLanguageNames }: Samples, group: string): string {
  const choices = sampleLanguages.map(
    (language, index) =>
      `<label><input type="radio" name="language-${group}" value="${language}"${index === 0 ? ' checked' : ''}>${names[language]}</label>`,
  );
  const samples = sampleLanguages.map(
    (language) => `<div data-language="${language}">${codeBlock(codeIn(language))}</div>`,
  );
  return `<div class="samples">
<fieldset class="languages"><legend>Language</legend>${choices.join('')}</fieldset>
${samples.join('\n')}
</div>`;
}
