/*
 * Licence: as the shop's.
 */
package shop.cart;

import java.util.List;
import static java.lang.Math.max;

/** Holds lines. */
@SuppressWarnings("unchecked")
public final class Cart<T extends Line> extends Base implements Priced, Iterable<T> {
    private static final int LIMIT = 10;
    private final List<T> lines, others;

    static {
        System.loadLibrary("cart");
    }

    /** Makes an empty cart. */
    public Cart(Shop shop) {
        this.lines = List.of();
    }

    /**
     * Adds a line.
     *
     * @param line what to add
     */
    @Override
    public synchronized <R> R add(
            T line, int count) throws FullException {
        if (lines.size() >= max(LIMIT, 1)) {
            throw new FullException("full");
        }
        lines.add(line);
        return null;
    }

    int size() { return lines.size(); }

    /** One line. */
    static class Line {
        String sku;

        long price() {
            return 3L;
        }
    }
}

interface Priced {
    long price();

    default long taxed() { return price() * 119 / 100; }
}

enum State {
    OPEN, CLOSED { @Override boolean done() { return true; } };

    boolean done() {
        return false;
    }
}

record Point(int x, int y) {
    Point {
        if (x < 0) throw new IllegalArgumentException();
    }
}

@interface Marked {
    String value() default "";
}
