-- The shop's tables.
CREATE TABLE lines (
    sku   TEXT NOT NULL,
    count INTEGER DEFAULT 1,
    PRIMARY KEY (sku)
);

CREATE INDEX lines_by_count ON lines (count);

-- What every cart costs.
CREATE VIEW totals AS
SELECT cart, SUM(count * price) AS total
FROM lines JOIN prices USING (sku)
GROUP BY cart;

INSERT INTO lines (sku, count) VALUES ('apple', 3), ('pear', 4);

ALTER TABLE lines ADD COLUMN note TEXT;

CREATE OR REPLACE FUNCTION total(cart_id integer) RETURNS integer AS $$
BEGIN
    RETURN (SELECT total FROM totals WHERE cart = cart_id);
END;
$$ LANGUAGE plpgsql;

SELECT * FROM totals WHERE total > 10;
