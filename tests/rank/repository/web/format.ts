/** Formats an amount in cents for the reader's locale. */
export function formatPrice(cents: number, locale = "en"): string {
  return new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" }).format(cents / 100);
}

/** Parses what a customer typed; throws if it is no amount. */
export function parsePrice(typed: string): number {
  const value = Number(typed.replace(",", "."));
  if (Number.isNaN(value)) {
    throw new RangeError(`not an amount of money: ${typed}`);
  }
  return Math.round(value * 100);
}
