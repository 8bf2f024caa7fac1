import { hasBidirectionalControls, hasControlCharacters } from '../addresses/unsafe-characters.js';
import { formatCount, formatCountOf } from '../format-count.js';
import { limits } from '../limits.js';

/**
 * Files that Windows or macOS run when somebody opens them. Gmail and Outlook refuse whole messages because of them, so
 * it is better to say so before the message is sent.
 */
const EXECUTABLE = new Set(
  [
    ...[
      'ade',
      'adp',
      'apk',
      'app',
      'appx',
      'appxbundle',
      'bat',
      'cab',
      'chm',
      'cmd',
      'com',
      'cpl',
      'dll',
      'dmg',
      'exe',
    ],
    ...['hta', 'ins', 'isp', 'jar', 'js', 'jse', 'lib', 'lnk', 'mde', 'msc', 'msi', 'msix', 'msp', 'mst', 'nsh', 'pif'],
    ...['ps1', 'ps1xml', 'ps2', 'psc1', 'psc2', 'reg', 'scf', 'scr', 'sct', 'shb', 'sys', 'vb', 'vbe', 'vbs', 'vxd'],
    ...['wsc', 'wsf', 'wsh', 'xll'],
  ].map((extension) => `.${extension}`),
);

/** @returns what is wrong with the name of an attachment, as a phrase that follows the field; null if nothing is */
export function filenameFault(name: string): string | null {
  if (name.length > limits.attachmentName.max)
    return `has ${formatCountOf(name.length, 'character')}; the limit is ${formatCount(limits.attachmentName.max)}`;
  if (/[/\\]/.test(name)) return 'must be a name without a path';
  if (hasControlCharacters(name) || hasBidirectionalControls(name))
    return 'must not contain control characters or characters that change the direction of text';
  // Windows ignores dots and spaces at the end.
  const meaningful = name.replace(/[. ]+$/, '');
  if (meaningful === '') return 'must contain something other than dots and spaces';
  const extension = /\.[^.]*$/.exec(meaningful)?.[0].toLowerCase();
  if (extension !== undefined && EXECUTABLE.has(extension))
    return `ends with ${extension}; mail servers refuse programs. Send a link instead`;
  return null;
}
