import { TemplateEditor } from './editor/template-editor';

export function NewTemplatePage() {
  return <TemplateEditor template={null} />;
}
