-------------------------------- MODULE Slices -------------------------------
(* A live query of one shard of the slice index, with one or two slices.      *)
(* Entries of the index appear late and in any order. The consumer keeps a    *)
(* place for each slice and floors (SliceOffsets), stores them with each      *)
(* event, and starts again at any moment, with one of the slices or both.     *)
(*                                                                            *)
(* Time is a small number; an event has the time at which it was stored, no   *)
(* two the same. Not modelled: the sweep, published events, atomic writes,    *)
(* and looking up an event's predecessor in the table.                        *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS
    Slices,         \* those of the shard
    Until,          \* when time ends
    Stored,         \* how many events are stored
    Lateness,       \* how late an entry can appear
    Behind,         \* backtracking.behind-current-time
    Window,         \* backtracking.window: a start reads so much again
    PageSize,
    Backtracks,     \* Passes: a second pass follows the plain one
    FloorsWait,     \* WaitingEvents: a floor is not ahead of events that wait to be taken
    FloorsOfSlices  \* SliceOffsets: a floor is that of the slices that were read, not of the shard

Ranges == SUBSET Slices \ {{}}
Never == Until + Behind + 1

VARIABLES
    now,
    events,    \* the journal: [at, slice, visible]
    handled,   \* the events that the consumer has handled, ever; by time
    place,     \* stored offsets: slice -> time, 0 if there is none
    floor,     \* stored offsets: range -> time before which all is handled
    query      \* the query that runs

vars == <<now, events, handled, place, floor, query>>

Max(S) == IF S = {} THEN 0 ELSE CHOOSE n \in S : \A m \in S : m <= n
Min(S) == CHOOSE n \in S : \A m \in S : m >= n

(* SliceOffsets: a slice begins at its place, or at its floor if that is much later or there is no place. *)
FloorOf(s) == Max({floor[r] : r \in {r \in Ranges : s \in r \/ ~FloorsOfSlices}})
Start(s) == IF place[s] = 0 \/ FloorOf(s) > place[s] + Window THEN FloorOf(s) ELSE place[s]
From(s) == Max({0, Start(s) - Window})

(* DeliveryRules.start: a shard is read from the first of its slices on. *)
Begun(range) ==
    LET start == Min({From(s) : s \in range}) - 1
    IN [range |-> range, from |-> [s \in Slices |-> From(s)], plain |-> start, trail |-> start, due |-> Never,
        reached |-> 0, waiting |-> <<>>, delivered |-> {}, trailNext |-> FALSE]

Init ==
    /\ now = 1 /\ events = {} /\ handled = {}
    /\ place = [s \in Slices |-> 0] /\ floor = [r \in Ranges |-> 0]
    /\ query = [range |-> Slices, from |-> [s \in Slices |-> 0], plain |-> -1, trail |-> -1, due |-> Never,
                reached |-> 0, waiting |-> <<>>, delivered |-> {}, trailNext |-> FALSE]

------------------------------------------------------------------------------
(* The journal and its index.                                                 *)

Store ==
    /\ Cardinality(events) < Stored /\ \A e \in events : e.at < now
    /\ \E s \in Slices, v \in BOOLEAN : events' = events \cup {[at |-> now, slice |-> s, visible |-> v]}
    /\ UNCHANGED <<now, handled, place, floor, query>>

Appear ==
    /\ \E e \in events : ~e.visible /\ events' = (events \ {e}) \cup {[e EXCEPT !.visible = TRUE]}
    /\ UNCHANGED <<now, handled, place, floor, query>>

(* Passes that are due are made in time, unless the consumer keeps them waiting. *)
Tick ==
    /\ now < Until
    /\ \A e \in events : ~e.visible => now < e.at + Lateness
    /\ query.waiting = <<>> => query.due > now
    /\ now' = now + 1
    /\ UNCHANGED <<events, handled, place, floor, query>>

------------------------------------------------------------------------------
(* Passes: Shard, Passes. The next page is read when the last one was taken.  *)

Page(after, until) ==
    LET found == {e \in events : e.visible /\ e.at > after /\ e.at <= until}
    IN {e \in found : Cardinality({d \in found : d.at < e.at}) < PageSize}
HasMore(after, until) == Cardinality({e \in events : e.visible /\ e.at > after /\ e.at <= until}) > PageSize

RECURSIVE InOrder(_)
InOrder(S) == IF S = {} THEN <<>> ELSE LET first == CHOOSE e \in S : \A d \in S : e.at <= d.at
                                       IN <<first>> \o InOrder(S \ {first})

(* DeliveryRules: what belongs to the slices, from their start on, and was not delivered. *)
Settled(page) == {e \in page : e.slice \in query.range /\ e.at >= query.from[e.slice] /\ e.at \notin query.delivered}

(* WaitingEvents.add: each event with the floor that holds when it is taken. *)
Waiting(page, reached) ==
    LET list == InOrder(Settled(page))
    IN [i \in 1 .. Len(list) |->
           [event |-> list[i],
            floor |-> IF FloorsWait THEN Min({reached} \cup {list[j].at : j \in i + 1 .. Len(list)}) ELSE reached]]

(* They take turns when both are due. *)
PlainStep ==
    /\ query.waiting = <<>> /\ ~(query.trailNext /\ query.due <= now)
    /\ LET page == Page(query.plain, now)
           end == Max({query.plain} \cup {e.at : e \in page})
           reached == Max({query.reached, end})  \* Shard.floor: where it has met an entry
           follows == query.trail = query.plain /\ end > query.plain
           old == now - Window
       IN query' = [query EXCEPT
              !.plain = end, !.reached = reached, !.trailNext = TRUE, !.waiting = Waiting(page, reached),
              !.delivered = @ \cup {e.at : e \in Settled(page)},
              !.trail = IF ~follows \/ ~Backtracks THEN @ ELSE IF end <= old THEN end ELSE Max({@, old}),
              !.due = IF follows /\ Backtracks /\ end > old THEN now + Behind ELSE @]
    /\ query' # query
    /\ UNCHANGED <<now, events, handled, place, floor>>

TrailStep ==
    /\ query.waiting = <<>> /\ query.due <= now
    /\ LET until == Min({query.plain, now - Behind})
           page == Page(query.trail, until)
           more == HasMore(query.trail, until)
           end == Max({query.trail} \cup {e.at : e \in page})
           trail == IF until < query.trail \/ more \/ until < query.plain THEN end ELSE query.plain
       IN query' = [query EXCEPT
              !.trail = trail, !.trailNext = FALSE, !.waiting = Waiting(page, query.reached),
              !.delivered = @ \cup {e.at : e \in Settled(page)},
              !.due = IF more THEN @ ELSE IF trail = query.plain THEN Never ELSE now + Behind]
    /\ UNCHANGED <<now, events, handled, place, floor>>

------------------------------------------------------------------------------
(* The consumer: EnvelopeOffsets.OfEachSlice. It handles an event, and stores *)
(* the offsets that come with it.                                             *)

Handle ==
    /\ query.waiting # <<>>
    /\ LET next == Head(query.waiting)
       IN /\ handled' = handled \cup {next.event.at}
          /\ place' = [place EXCEPT ![next.event.slice] = Max({@, next.event.at})]
          /\ floor' = [floor EXCEPT ![query.range] = Max({@, next.floor})]
    /\ query' = [query EXCEPT !.waiting = Tail(@)]
    /\ UNCHANGED <<now, events>>

Restart ==
    /\ \E range \in Ranges : query' = Begun(range)
    /\ UNCHANGED <<now, events, handled, place, floor>>

Next == Store \/ Appear \/ Tick \/ PlainStep \/ TrailStep \/ Handle \/ Restart

Spec == Init /\ [][Next]_vars

(* Whoever starts from the stored offsets comes to every event that was not handled. *)
SafeFromRestart == \A e \in events : e.at \notin handled => e.at >= From(e.slice)

(* The query that runs delivers it, or a pass is still to come. *)
SafeWhileItRuns ==
    \A e \in events :
        \/ e.at \in handled \cup query.delivered
        \/ e.slice \notin query.range \/ e.at < query.from[e.slice]
        \/ e.at > IF Backtracks THEN query.trail ELSE query.plain

Alike == Permutations(Slices)
==============================================================================
