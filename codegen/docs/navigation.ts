/**
 * The navigation of /docs, read from docs/README.md: its headings are the parts, and the first link of each list item is a
 * page. So there is one list of pages, for readers at GitHub and at a gateway.
 */
import { Marked, type Token, type Tokens } from 'marked';
import { escaped, hrefOf, textOf } from './markdown.ts';

const INDEX = 'docs/README.md';

/** The navigation as HTML: a list of pages below each heading. Pages outside docs/ are left out. */
export function navigationOf(index: string): string {
  const parts: { heading: string; pages: string[] }[] = [{ heading: '', pages: [] }];
  for (const token of new Marked().lexer(index)) {
    if (token.type === 'heading' && token.depth === 2) {
      parts.push({ heading: textOf((token as Tokens.Heading).tokens), pages: [] });
    } else if (token.type === 'list') {
      for (const item of (token as Tokens.List).items) parts.at(-1)?.pages.push(...pageOf(item));
    }
  }
  return parts
    .filter(({ pages }) => pages.length > 0)
    .map(
      ({ heading, pages }) =>
        `${heading && `<h2>${escaped(heading)}</h2>`}\n<ul class="list">\n${pages.join('\n')}\n</ul>`,
    )
    .join('\n');
}

function pageOf(item: Tokens.ListItem): string[] {
  const link = firstLink(item.tokens);
  const href = link && hrefOf(link.href, INDEX);
  return link && href ? [`<li><a href="${href}">${escaped(textOf(link.tokens))}</a></li>`] : [];
}

function firstLink(tokens: readonly Token[]): Tokens.Link | null {
  for (const token of tokens) {
    if (token.type === 'link') return token as Tokens.Link;
    const inner = 'tokens' in token && token.tokens ? firstLink(token.tokens) : null;
    if (inner) return inner;
  }
  return null;
}
