import { limits } from '@posthorn/domain/limits';
import {
  formatCount,
  formatCountOf,
  hasBidirectionalControls,
  hasControlCharacters,
  withoutHiddenCharacters,
} from '@posthorn/platform/values';

/** Extensions that Gmail refuses (support.google.com/mail/answer/6590). */
const REFUSED_BY_GMAIL =
  'ade adp apk appx appxbundle bat cab chm cmd com cpl diagcab diagcfg diagpkg dll dmg ex ex_ exe hta img ins iso isp jar jnlp js jse lib lnk mde mjs msc msi msix msixbundle msp mst nsh pif ps1 scr sct shb sys vb vbe vbs vhd vxd wsc wsf wsh xll';

/** Other extensions of files that Windows or macOS run or mount when somebody opens them. Outlook blocks most of them. */
const ALSO_EXECUTABLE = 'app ps1xml ps2 psc1 psc2 reg scf vhdx ws';

/** Mail servers refuse whole messages because of such files, so it is better to say so before the message is sent. */
const EXECUTABLE = new Set(`${REFUSED_BY_GMAIL} ${ALSO_EXECUTABLE}`.split(' ').map((extension) => `.${extension}`));

/** @returns what is wrong with the name of an attachment, as a phrase that follows the field; null if nothing is */
export function filenameFault(name: string): string | null {
  if (name.length > limits.attachmentName.max)
    return `has ${formatCountOf(name.length, 'character')}; the limit is ${formatCount(limits.attachmentName.max)}`;
  if (/[/\\]/.test(name)) return 'must be a name without a path';
  if (hasControlCharacters(name) || hasBidirectionalControls(name))
    return 'must not contain control characters or characters that change the direction of text';
  if (name.includes('=?'))
    return 'must not contain =?, which mail programs would decode. Write the name in plain Unicode';
  // Neither invisible characters, which emoji and Persian need, nor full-width letters may disguise an extension.
  const visible = withoutHiddenCharacters(name).normalize('NFKC');
  if (withoutEnd(visible) === '') return 'must contain a visible character other than dots';
  // Windows takes what follows a colon for the name of a stream of the file.
  const extension = visible
    .split(':')
    .map(extensionOf)
    .find((found) => EXECUTABLE.has(found));
  return extension === undefined ? null : `ends with ${extension}; mail servers refuse programs. Send a link instead`;
}

/** @returns in lowercase, with its dot; empty if there is none */
function extensionOf(name: string): string {
  return /\.[^.]*$/.exec(withoutEnd(name))?.[0].toLowerCase() ?? '';
}

/** Windows ignores dots and spaces at the end of a name. */
function withoutEnd(name: string): string {
  return name.replace(/[.\s]+$/, '');
}
