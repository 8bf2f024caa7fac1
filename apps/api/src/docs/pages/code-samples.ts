import { codeSample, type SampleRequest, sampleLanguageNames, sampleLanguages } from '@posthorn/code-samples';
import { codeBlock } from './code-block.js';

/**
 * A request in every language, one of them visible. The style sheet shows the sample of the checked language, so
 * choosing one needs no script.
 * @param group unique on its page
 */
export function codeSamples(request: SampleRequest, group: string): string {
  const choices = sampleLanguages.map(
    (language, index) =>
      `<label><input type="radio" name="language-${group}" value="${language}"${index === 0 ? ' checked' : ''}>${sampleLanguageNames[language]}</label>`,
  );
  const samples = sampleLanguages.map(
    (language) => `<div data-language="${language}">${codeBlock(codeSample(language, request))}</div>`,
  );
  return `<div class="samples">
<fieldset class="languages"><legend>Language</legend>${choices.join('')}</fieldset>
${samples.join('\n')}
</div>`;
}
