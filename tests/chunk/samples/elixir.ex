defmodule Shop.Cart do
  @moduledoc """
  Keeps the lines of a cart.
  """

  use GenServer
  alias Shop.Price

  @timeout 5_000

  defstruct lines: [], note: nil

  @doc """
  Adds a line to the cart, or raises the count of the one that is there already.
  """
  @spec add(t(), String.t(), pos_integer()) :: t()
  def add(%__MODULE__{} = cart, sku, count \\ 1) when count > 0 do
    %{cart | lines: [{sku, count} | cart.lines]}
  end

  def total(cart), do: Enum.sum(Enum.map(cart.lines, &line_total/1))

  defp line_total({sku, count}) do
    Price.of(sku) * count
  end

  defmacro with_cart(do: block) do
    quote do
      unquote(block)
    end
  end

  defimpl String.Chars do
    def to_string(cart), do: inspect(cart)
  end
end

defprotocol Shop.Priced do
  def price(item)
end
