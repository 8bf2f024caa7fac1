/**
 * Collects the text between placeholders exactly as mustache renders it. Mustache removes lines that contain only
 * comments and white space.
 */
export function literalText() {
  let finished = '';
  let line = '';
  let lineHasComment = false;
  let lineHasPlaceholder = false;

  function endLine(): void {
    const isCommentLine = lineHasComment && !lineHasPlaceholder && line.trim() === '';
    if (!isCommentLine) finished += line;
    line = '';
    lineHasComment = false;
    lineHasPlaceholder = false;
  }

  function take(): string {
    const text = finished + line;
    finished = '';
    line = '';
    lineHasPlaceholder = true;
    return text;
  }

  return {
    append(text: string): void {
      const first = text.indexOf('\n');
      if (first === -1) {
        line += text;
        return;
      }
      line += text.slice(0, first + 1);
      endLine();
      const last = text.lastIndexOf('\n');
      finished += text.slice(first + 1, last + 1);
      line = text.slice(last + 1);
    },
    skipComment(): void {
      lineHasComment = true;
    },
    /** Returns the text before a placeholder. The text after the placeholder is collected separately. */
    take,
    /** Returns the text up to the end of the template. */
    end(): string {
      endLine();
      return take();
    },
  };
}
