/**
 * Names of uploaded files. A name is anything that a caller's machine calls a file; it is shown again, and offered as a
 * name to whoever downloads the file, so nothing may be left in it that means something on the way.
 */

const LENGTH_MAX = 255;
const NAMELESS = 'upload.jsonl';

/**
 * The name without its folders (of either kind of slash), without control characters and marks that turn the direction of
 * text, and at most 255 characters long; `upload.jsonl` when nothing is left. Never `.` or `..`.
 */
export function cleanFilename(sent: string | null): string {
  const name = (sent ?? '')
    .toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  return /^\.*$/.test(name) ? NAMELESS : [...name].slice(0, LENGTH_MAX).join('');
}

/**
 * Content-Disposition that offers `filename` for saving (RFC 6266): in plain ASCII for every client and, where that loses
 * something, once more in UTF-8 for those that read it (RFC 8187).
 */
export function attachment(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  const header = `attachment; filename="${plain}"`;
  return plain === filename ? header : `${header}; filename*=UTF-8''${percentEncoded(filename)}`;
}

/** encodeURIComponent leaves four characters that this grammar does not have. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
