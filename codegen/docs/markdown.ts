/**
 * One page of docs/ as HTML and as what a search finds. Links between pages and pictures lead to where the gateway serves
 * them; what they name in the source is no link there, because a gateway has no source to show.
 */
import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';

/** Where the pages that are not in docs/ are served: GitHub looks for these files in the root. */
export const ROOT_PAGES: ReadonlyMap<string, string> = new Map([
  ['CONTRIBUTING.md', '/docs/change/contributing'],
  ['SECURITY.md', '/docs/change/security'],
]);

/** A part of a page below one heading, with the address that leads there. */
export interface Section {
  readonly at: string;
  /** The title of the page. */
  readonly page: string;
  /** The heading; that of the page for what comes before the second one. */
  readonly heading: string;
  readonly text: string;
}

/** A page, ready to be served and searched. */
export interface RenderedPage {
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Where the gateway serves a page or a picture: a page without its ending, the README of a folder at the folder. */
export function addressOf(path: string): string {
  return ROOT_PAGES.get(path) ?? `/${path.replace(/\.md$/, '').replace(/\/README$/, '')}`;
}

/** Where a link of the file `from` leads; null if a gateway does not serve it. */
export function hrefOf(href: string, from: string): string | null {
  if (/^(\w+:|#)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const path = posix.join(posix.dirname(from), target);
  if (!ROOT_PAGES.has(path) && !/^docs\/.*\.(md|svg|png)$/.test(path)) return null;
  return addressOf(path) + (anchor ? `#${anchor}` : '');
}

/** Renders the text of the file `path`, such as `docs/buy/clients.md`. Throws for HTML other than comments. */
export function renderPage(path: string, text: string): RenderedPage {
  const marked = new Marked();
  const slugs = slugger();
  const contents: string[] = [];
  marked.use({
    renderer: {
      heading({ tokens, depth }) {
        const id = slugs(textOf(tokens));
        const inner = this.parser.parseInline(tokens);
        // The index is a list of pages already.
        if (depth === 2 && path !== 'docs/README.md') contents.push(`<a href="#${id}">${inner}</a>`);
        return `<h${depth} id="${id}">${depth === 1 ? inner : `<a class="anchor" href="#${id}">${inner}</a>`}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const to = hrefOf(href, path);
        const inner = this.parser.parseInline(tokens);
        return to === null ? inner : `<a href="${to}">${inner}</a>`;
      },
      image({ href, text: alt }) {
        const to = hrefOf(href, path);
        if (!to?.startsWith('/docs/')) throw new Error(`${path}: ${href} is no picture of docs/`);
        return `<img src="${to}" alt="${escaped(alt)}">`;
      },
      html({ raw }) {
        if (raw.startsWith('<!--')) return '';
        throw new Error(`${path}: ${raw.trim()} is HTML, which pages do not use`);
      },
    },
  });
  const tokens = marked.lexer(text);
  const html = marked
    .parser(tokens)
    // What may scroll must be reached by keyboard.
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>');
  return { html: html.replace('</h1>\n', `</h1>\n${contentsOf(contents)}`), sections: sectionsOf(path, tokens) };
}

/** The headings of a long page. */
function contentsOf(items: readonly string[]): string {
  if (items.length < 3) return '';
  return `<nav class="contents" aria-label="On this page">\n${items.join('\n')}\n</nav>\n`;
}

function sectionsOf(path: string, tokens: readonly Token[]): Section[] {
  const slugs = slugger();
  const sections: { at: string; page: string; heading: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = textOf((token as Tokens.Heading).tokens);
      const anchor = `#${slugs(heading)}`;
      const page = sections[0]?.page ?? heading;
      sections.push({ at: addressOf(path) + (sections.length === 0 ? '' : anchor), page, heading, text: '' });
    }
    const last = sections.at(-1);
    if (last && token.type !== 'heading') last.text = `${last.text} ${textOf([token])}`.replace(/\s+/g, ' ').trim();
  }
  return sections;
}

/** The words of tokens, without marks and addresses. */
export function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows].map((cells) => cells.map((cell) => textOf(cell.tokens)).join(' ')).join(' ');
      }
      if (token.type === 'html') return '';
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => textOf(item.tokens)).join(' ');
      if ('tokens' in token && token.tokens) return textOf(token.tokens);
      return 'text' in token ? String(token.text) : ' ';
    })
    .join('');
}

/** Text as HTML, also between quotes. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Makes the anchors of one page from its headings in order, as GitHub does. */
function slugger(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const letters = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, '');
    const slug = letters.replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };
}
