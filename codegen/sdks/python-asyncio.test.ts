import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asyncioOf } from './python-asyncio.ts';

const CORE =
  'from sluice.core import Core\nfrom sluice.models.order import Order\nfrom typing import Iterator, Optional\n';
const ORDERS = `${CORE}

class PlaceParams(Call):
    """Parameters."""


class Orders:
    """The orders."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def place(self, text: str, **params: Unpack[PlaceParams]) -> "OrderHandle":
        """Places one."""
        return made(text)

    def list(self) -> Iterator["OrderHandle"]:
        """All."""
        yield one

    def _own(self) -> None:
        pass


class OrderHandle:
    """One order."""

    id: str
    order: Optional[Order]
    """All fields."""

    def stream(
        self,
        *,
        after: Optional[int] = None,  # noqa: A002
        **options: Unpack[Call],
    ) -> Iterator[str]:
        """The events."""
        yield one


def helper() -> None:
    pass
`;
const none = (name: string) => `class ${name}:\n    """None."""\n`;
const modules = [
  { name: 'orders', text: ORDERS },
  { name: 'batches', text: `${none('Files')}\n\n${none('Batches')}` },
  { name: 'market', text: none('Market') },
];
const text = asyncioOf(modules);

describe('the asyncio client of Python', () => {
  it('awaits each public method, with its parameters and its documentation', () => {
    const place = `    async def place(self, text: str, **params: Unpack[PlaceParams]) -> AsyncOrderHandle:
        """Places one."""
        return AsyncOrderHandle(await in_thread(lambda: self.sync.place(text, **params)))
`;
    assert.ok(text.includes(place), text);
    assert.doesNotMatch(text, /_own|_core|helper/);
  });

  it('iterates where the other does, and passes on by name what has to be named', () => {
    assert.match(text, /async def list\(self\) -> AsyncIterator\[AsyncOrderHandle\]:\n {8}"""All."""\n/);
    assert.ok(text.includes('items_of(self.sync.list()):\n            yield AsyncOrderHandle(each)\n'), text);
    assert.ok(text.includes('items_of(self.sync.stream(after=after, **options)):\n            yield each\n'), text);
  });

  it('has the attributes of an order as they are', () => {
    assert.ok(text.includes('    @property\n    def id(self) -> str:\n        return self.sync.id\n'), text);
    const order =
      '    def order(self) -> Optional[Order]:\n        """All fields."""\n        return self.sync.order\n';
    assert.ok(text.includes(order), text);
  });

  it('imports what it names from where the others have it', () => {
    assert.match(text, /^from sluice.models.order import Order$/m);
    assert.match(text, /^from sluice.orders import PlaceParams$/m);
    assert.doesNotMatch(text, /^from sluice.core/m);
  });

  it('fails when a class is gone', () =>
    assert.throws(() => asyncioOf(modules.slice(0, 2)), /market.py has no class Market/));
});
