/* Licence: as the shop's. */

import { readFile } from "node:fs/promises";
import type { Sku } from "./sku";

const LIMIT = 10;
export const names = ["a", "b"] as const, other = 1;

/** A line of the cart. */
export interface Line {
  sku: Sku;
  count: number;
  total(rate: number): number;
}

export type Lines = readonly Line[];

export enum State {
  Open = "open",
  Closed = "closed",
}

/**
 * Adds up lines.
 * @param lines what lies in the cart
 */
export async function total(lines: Lines): Promise<number> {
  const rates = await Promise.all(lines.map(async (line) => rateOf(line.sku)));
  return lines.reduce((sum, line, i) => sum + line.count * rates[i], 0);
}

export const rateOf = async (sku: Sku): Promise<number> => {
  const text = await readFile(`rates/${sku}`, "utf-8");
  return Number(text.trim());
};

@Injectable()
export class Cart<T extends Line> extends Base implements Priced {
  private lines: T[] = [];
  static readonly empty = new Cart();

  constructor(private readonly shop: Shop) {
    super();
  }

  // Adds a line.
  @Log("add")
  add(line: T): this;
  add(line: T, count?: number): this {
    if (this.lines.length >= LIMIT) {
      throw new Error("full");
    }
    this.lines.push(line);
    return this;
  }

  onChange = (listener: () => void): void => {
    this.listeners.add(listener);
    this.listeners.forEach((each) => each());
  };

  get size(): number { return this.lines.length; }
}

export abstract class Shape {
  abstract area(): number;
}

namespace Money {
  export function round(value: number): number {
    return Math.round(value * 100) / 100;
  }
}

declare module "shop" {
  export function open(): void;
}

declare global {
  interface Window { shop: Shop }
}

function* ids(): Generator<number> {
  let id = 0;
  while (true) yield id++;
}

export default function main() {
  return total([]);
}

main();
