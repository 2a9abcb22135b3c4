package org.harbor.stock;

import org.junit.jupiter.api.Test;

class StockLedgerTest {
    @Test
    void reserveTakesGoodsOffTheShelf() {
        StockLedger ledger = new StockLedger();
        ledger.recount(java.util.Map.of("tea", 3));
        ledger.reserve("tea", 2);
    }
}
