import { formatPrice, parsePrice } from "./format";

test("formatPrice shows cents", () => {
  expect(formatPrice(1250)).toContain("12.50");
});

test("parsePrice takes a comma", () => {
  expect(parsePrice("12,50")).toBe(1250);
});
