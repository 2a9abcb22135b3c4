package org.harbor.stock;

import java.util.HashMap;
import java.util.Map;

/** Keeps how many of each article lie in the warehouse. */
public class StockLedger {
    private final Map<String, Integer> onHand = new HashMap<>();

    /** Takes goods off the shelf for an order. */
    public synchronized Reservation reserve(String sku, int quantity) {
        int available = onHand.getOrDefault(sku, 0);
        if (available < quantity) {
            throw new OutOfStockException("Only " + available + " of article " + sku + " left in the warehouse");
        }
        onHand.put(sku, available - quantity);
        return new Reservation(sku, quantity);
    }

    /** Puts reserved goods back. */
    public synchronized void release(Reservation reservation) {
        onHand.merge(reservation.sku(), reservation.quantity(), Integer::sum);
    }

    /** Counts the warehouse anew after an inventory. */
    public void recount(Map<String, Integer> counted) {
        onHand.clear();
        onHand.putAll(counted);
    }
}
