import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hrefOf, renderPage } from './markdown.ts';
import { navigationOf } from './navigation.ts';

const PAGE = 'docs/buy/clients.md';

test('a link leads to where the gateway serves the page; to source and to the README of the project it is none', () => {
  assert.equal(hrefOf('errors.md#the-catalogue', PAGE), '/docs/buy/errors#the-catalogue');
  assert.equal(hrefOf('../decisions/README.md', PAGE), '/docs/decisions');
  assert.equal(hrefOf('../README.md', PAGE), '/docs');
  assert.equal(hrefOf('../pictures/book.svg', PAGE), '/docs/pictures/book.svg');
  assert.equal(hrefOf('../../CONTRIBUTING.md', PAGE), '/docs/change/contributing');
  assert.equal(hrefOf('../../SECURITY.md', PAGE), '/docs/change/security');
  assert.equal(hrefOf('docs/start.md', 'CONTRIBUTING.md'), '/docs/start');
  assert.equal(hrefOf('#below', PAGE), '#below');
  assert.equal(hrefOf('https://example.org/a.md', PAGE), 'https://example.org/a.md');
  for (const outside of ['../../README.md', '../../src/cli.ts', 'a.json']) assert.equal(hrefOf(outside, PAGE), null);
  assert.match(renderPage(PAGE, '# A\n\nSee [the `code`](../../src/cli.ts).').html, /See the <code>code<\/code>\./);
});

test('headings have the anchors that GitHub gives them, also when one repeats', () => {
  const { html, sections } = renderPage(PAGE, '# A\n\n## It’s `x_y`, new\n\n## Again\n\n## Again\n');
  assert.deepEqual(
    [...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id),
    ['its-x_y-new', 'again', 'again-1'],
  );
  assert.deepEqual(
    sections.map(({ at }) => at),
    ['/docs/buy/clients', ...['its-x_y-new', 'again', 'again-1'].map((id) => `/docs/buy/clients#${id}`)],
  );
});

test('the words of tables, lists and code are found, their marks and addresses are not', () => {
  const text = '# A\n\n- one **two**\n\n| a | b |\n|---|---|\n| [c](d.md) | `e` |\n\n```sh\nf --g\n```\n\n<!-- h -->\n';
  assert.equal(renderPage(PAGE, text).sections[0]?.text, 'one two a b c e f --g');
});

test('what scrolls can be reached by keyboard', () => {
  const { html } = renderPage(PAGE, '# A\n\n| a | b |\n|---|---|\n| c | d |\n\n```sh\ne\n```\n');
  assert.match(html, /<div class="scroll" tabindex="0"[^>]*><table>/);
  assert.match(html, /<pre tabindex="0">/);
});

test('HTML and pictures from elsewhere are refused, with the page', () => {
  assert.throws(() => renderPage(PAGE, '# A\n\n<script>a</script>\n'), /docs\/buy\/clients\.md: <script>/);
  for (const picture of ['https://example.org/a.png', '../../a.png'])
    assert.throws(() => renderPage(PAGE, `![a](${picture})`), /no picture/);
});

test('the navigation has the first link of each line of the index, below its heading', () => {
  const index =
    '# All\n\n- [Start](start.md): see [b](b.md).\n\n## Buy & more\n\n- [Clients](buy/clients.md): x.\n- [Out](../a.md): y.\n';
  const navigation = navigationOf(index);
  assert.deepEqual(
    [...navigation.matchAll(/<h2>(.*)<\/h2>|href="([^"]+)"/g)].map(([, heading, href]) => heading ?? href),
    ['/docs/start', 'Buy &amp; more', '/docs/buy/clients'],
  );
});
