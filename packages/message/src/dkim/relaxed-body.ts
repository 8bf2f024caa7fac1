const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/**
 * Canonicalizes a body for hashing with the relaxed algorithm (RFC 6376, 3.4.4): runs of blanks become one space, and
 * blanks at line ends and empty lines at the end are removed. Unless it is empty, the result ends with CRLF.
 * @param body lines that end with CRLF; they may contain any bytes
 */
export function relaxedBody(body: Buffer): Buffer {
  // Most bodies are in this form already. Checking this with a regular expression is ten times as fast as running the
  // loop.
  const text = body.toString('latin1');
  return text.endsWith('\r\n') && !UNRELAXED.test(text) ? body : relax(body);
}

/** A tab, two spaces in a row, a space at a line end, or an empty line at the end. */
const UNRELAXED = /\t| {2}| \r\n|(?:^|\r\n)\r\n$/;

function relax(body: Buffer): Buffer {
  const relaxed = Buffer.allocUnsafe(body.length + 2);
  let end = 0;
  let lineStart = 0;
  let lastLineEnd = 0;
  let afterBlank = false;

  function endLine(): void {
    const isEmpty = end === lineStart;
    relaxed[end] = CR;
    relaxed[end + 1] = LF;
    end += 2;
    lineStart = end;
    if (!isEmpty) lastLineEnd = end;
    afterBlank = false;
  }

  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number;
    if (byte === SPACE || byte === TAB) {
      afterBlank = true;
    } else if (byte === CR && body[at + 1] === LF) {
      endLine();
      at += 1;
    } else {
      if (afterBlank) relaxed[end++] = SPACE;
      afterBlank = false;
      relaxed[end++] = byte;
    }
  }
  if (end > lineStart) endLine();
  return relaxed.subarray(0, lastLineEnd);
}
