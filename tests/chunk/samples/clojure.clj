;; Carts and totals.
(ns shop.cart
  (:require [clojure.string :as str]))

(def limit 50)

(defrecord Line [sku count])

(defprotocol Priced
  (price [item] "What it costs."))

;; Adds a line.
(defn add
  "Adds a line to the cart, or raises the count of the one there."
  [cart sku]
  (update cart :lines conj (->Line sku 1)))

(defn- line-total [{:keys [count price]}]
  (* count price))

(defmacro unless [test body]
  `(if ~test nil ~body))

(defmulti describe :kind)

(defmethod describe :cart [cart]
  (str "cart of " (count (:lines cart))))

(comment
  (add {} "x"))
