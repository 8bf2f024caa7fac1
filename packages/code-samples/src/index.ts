export { codeSample, type SampleLanguage, sampleLanguageNames, sampleLanguages } from './code-samples.js';
export { writeJson } from './json.js';
export { COOKIE_VARIABLE, KEY_VARIABLE, type SampleCredential, type SampleRequest } from './sample-request.js';
export {
  SECRET_VARIABLE,
  verificationLanguageNames,
  webhookVerification,
} from './verification/webhook-verification.js';
