(* A stack that never shrinks. *)
open Printf

exception Empty of string

type 'a t = {
  mutable items : 'a list;
  limit : int;
}

(** Makes an empty stack. *)
let create limit = { items = []; limit }

let rec length = function
  | [] -> 0
  | _ :: rest -> 1 + length rest

module Checked = struct
  let limit = 10

  let push stack item =
    if length stack.items >= stack.limit then raise (Empty "full")
    else stack.items <- item :: stack.items
end

module type PRINTER = sig
  val print : string -> unit
end

class counter = object
  val mutable n = 0
  method next = n <- n + 1; n
end

let () = printf "%d\n" (length [1; 2])
