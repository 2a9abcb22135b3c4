package org.harbor.stock;

/** Goods taken off the shelf for an order that is not paid yet. */
public record Reservation(String sku, int quantity) {
}
