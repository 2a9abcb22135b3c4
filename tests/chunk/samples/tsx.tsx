import * as React from "react";

type Props = { lines: string[]; onAdd?: () => void };

/** Shows the lines of a cart. */
export const Cart: React.FC<Props> = ({ lines, onAdd }) => {
  const [open, setOpen] = React.useState(false);
  return (
    <section className="cart" onClick={() => setOpen(!open)}>
      {lines.map((line) => (
        <Row key={line}>{line}</Row>
      ))}
      <button onClick={onAdd}>add</button>
    </section>
  );
};

function Row({ children }: { children: React.ReactNode }) {
  return <div className="row">{children}</div>;
}

export default React.memo(Cart);
