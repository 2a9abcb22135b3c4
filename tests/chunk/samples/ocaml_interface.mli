(** Stacks. *)

type 'a t

(** Makes an empty stack. *)
val create : int -> 'a t

exception Empty of string

module Checked : sig
  val push : 'a t -> 'a -> unit
end
