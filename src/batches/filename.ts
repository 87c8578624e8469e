/**
 * Names of uploaded files. A name may be anything; it is shown again, and offered as the name for a download, so
 * nothing may be left in it that a header, a path or a screen would interpret.
 */

const LENGTH_MAX = 255;
const NAMELESS = 'upload.jsonl';

/**
 * The name without its folders (either kind of slash), control characters and marks of text direction, at most 255
 * characters long; `upload.jsonl` when nothing is left. Never `.` or `..`.
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
 * The Content-Disposition for saving as `filename` (RFC 6266): in ASCII for every client and, where that loses
 * something, also in UTF-8 for those that read it (RFC 8187).
 */
export function attachment(filename: string): string {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  const header = `attachment; filename="${plain}"`;
  return plain === filename ? header : `${header}; filename*=UTF-8''${percentEncoded(filename)}`;
}

/** encodeURIComponent leaves four characters that this grammar does not allow. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
