package sluice.client;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/** The items of a list that comes in pages. A page is requested when the loop reaches it. */
final class Pages<Item> implements Iterator<Item> {
    private final Function<String, Page<Item>> ask;
    private Iterator<Item> items = Collections.emptyIterator();
    private String after;
    private boolean hasMore = true;

    /** {@code ask} gets null for the first page, then where the next one begins. */
    Pages(Function<String, Page<Item>> ask) {
        this.ask = ask;
    }

    /** One page; {@code next} is null on the last one. */
    static final class Page<Item> {
        private final List<Item> items;
        private final String next;

        Page(List<Item> items, String next) {
            this.items = items;
            this.next = next;
        }
    }

    @Override
    public boolean hasNext() {
        while (!items.hasNext() && hasMore) {
            Page<Item> page = ask.apply(after);
            items = page.items.iterator();
            after = page.next;
            hasMore = after != null;
        }
        return items.hasNext();
    }

    @Override
    public Item next() {
        if (!hasNext()) throw new NoSuchElementException();
        return items.next();
    }
}
