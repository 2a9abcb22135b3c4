%% @doc A counter as a process.
-module(counter).
-behaviour(gen_server).

-export([start/0, add/2]).

-define(LIMIT, 100).
-record(state, {count = 0 :: integer(), name}).

-type name() :: atom().

%% @doc Starts a counter.
-spec start() -> {ok, pid()}.
start() ->
    gen_server:start(?MODULE, [], []).

add(Pid, N) when N > 0 ->
    gen_server:call(Pid, {add, N});
add(_Pid, 0) ->
    ok.

handle_call({add, N}, _From, State = #state{count = Count}) ->
    New = Count + N,
    {reply, New, State#state{count = New}}.
