import { useState } from "react";
import { formatPrice } from "../format";

export interface CartViewProps {
  lines: { sku: string; quantity: number; price: number }[];
  onConfirm: () => void;
}

/** Shows what is in the cart and lets the customer confirm it. */
export function CartView({ lines, onConfirm }: CartViewProps) {
  const [busy, setBusy] = useState(false);
  const total = lines.reduce((sum, line) => sum + line.quantity * line.price, 0);
  return (
    <section>
      <p>{formatPrice(total)}</p>
      <button disabled={busy} onClick={() => { setBusy(true); onConfirm(); }}>Confirm order</button>
    </section>
  );
}
