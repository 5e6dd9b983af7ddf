-------------------------------- MODULE Groups -------------------------------
(* One entity whose events stand in groups of numbers, each in a partition of *)
(* its own: owners that search for the last event, write into the next group  *)
(* and delete the groups behind them, all at the same time.                   *)
(*                                                                            *)
(* One step is what DynamoDB does at once: a put, a deletion, or a query that *)
(* finds the last event of a group. Group 0 has one number less than others.  *)
(* Not modelled: replays and rejected numbers (see Journal.tla), chains.      *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Owners,         \* nodes that believe to own the entity
    First, Last,    \* the last number in the beginning, and at the end
    GroupSize,      \* JournalKeys.GROUP_SIZE
    Writes,         \* how many writes are sent
    Deletes,        \* how many deletions are decided
    LowFirst,       \* Deletion.decide: the low mark is raised before an event goes
    EndsUncertain,  \* TailSearch.isCertain: what came after the end of a group may be gone already
    LooksUp,        \* TailSearch.searchUp: after the end of a group comes the next one
    LooksAfter,     \* OwnHead.checkAfter: a slow write is acknowledged if the low mark is not above it
    MarksAfter      \* TailSearch.run: the marks are read after the hint's group

VARIABLES
    stored,    \* the table: the numbers that have an event
    low, high, \* the marks; 0 if there is none
    owner,     \* what each owner does and knows
    removal,   \* what each owner's deletion has yet to do
    late,      \* writes that were reported as failed and can still arrive; by number
    writes, deletes,
    top, lost  \* the last number that was acknowledged; which promise was broken

table == <<stored, low, high>>
vars == <<table, owner, removal, late, writes, deletes, top, lost>>

GroupOf(n) == n \div GroupSize
StartOf(n) == GroupOf(n) * GroupSize
IsEnd(n) == n % GroupSize = GroupSize - 1
Max(S) == IF S = {} THEN 0 ELSE CHOOSE n \in S : \A m \in S : m <= n
Unread == -1
LastIn(group, from) == Max({n \in stored : GroupOf(n) = group /\ n >= from})
Stopped == [pc |-> "stopped", head |-> 0, begin |-> 0, hint |-> 0, low |-> 0, high |-> 0, page |-> 0, todo |-> {},
            found |-> 0, after |-> FALSE]
Ready(head) == [Stopped EXCEPT !.pc = "ready", !.head = head]

(* One owner's first events were acknowledged. Without a high mark, they are a predecessor's. *)
Init ==
    /\ stored = 1 .. First /\ low = 0 /\ high \in {0, StartOf(First)}
    /\ \E o \in Owners : owner = [p \in Owners |-> IF p = o THEN Ready(First) ELSE Stopped]
    /\ removal = [o \in Owners |-> [left |-> {}, low |-> 0]]
    /\ late = {} /\ writes = 0 /\ deletes = 0 /\ top = First /\ lost = "nothing"

Broken(what) == lost' = IF lost = "nothing" THEN what ELSE lost

------------------------------------------------------------------------------
(* Recovery: TailSearch. The hint's group is read, and then the marks; then   *)
(* the highest group that marks or hint name, those below it if it is empty,  *)
(* and those above it as long as the last place is taken.                     *)
(* `todo` are groups that are being read, `found` is the last event so far;   *)
(* `after`: groups were read after the marks.                                 *)

Lowest(r) == Max({GroupOf(r.hint), GroupOf(r.low)})
Target(r) == Max({Lowest(r), GroupOf(r.high)})
IsCertain(r) == \/ ~r.after
                \/ ~EndsUncertain /\ IsEnd(r.found) /\ r.found >= Max({1, r.low, r.high})

Judged(r) == [r EXCEPT !.pc = IF IsCertain(r) THEN "found" ELSE "uncertain"]
LookedUp(r) == \* TailSearch.lastBelowHint
    IF r.found = 0 /\ r.hint >= Max({1, r.low})
    THEN [r EXCEPT !.pc = "below", !.todo = GroupOf(r.low) .. GroupOf(r.hint)] ELSE Judged(r)
LookedDown(r) == \* TailSearch.searchUp
    IF LooksUp /\ r.found > 0 /\ IsEnd(r.found)
    THEN [r EXCEPT !.pc = "up", !.todo = {GroupOf(r.found) + 1}] ELSE LookedUp(r)
TargetRead(r) == \* TailSearch.searchDown: the hint's group is not read again
    LET below == Lowest(r) .. Target(r) - 1
        page == IF GroupOf(r.hint) \in below THEN r.page ELSE 0
        down == [r EXCEPT !.pc = "down", !.todo = below \ {GroupOf(r.hint)}, !.found = page]
    IN IF r.found > 0 THEN LookedDown(r) ELSE IF down.todo = {} THEN LookedDown(down) ELSE down
BothRead(r) ==
    IF r.low = Unread \/ r.page = Unread THEN r
    ELSE IF Target(r) = GroupOf(r.hint) THEN LookedDown([r EXCEPT !.found = r.page])
    ELSE [r EXCEPT !.pc = "target", !.todo = {Target(r)}]

(* TailSearch.tail: what was found, or the hint, or what the low mark says. *)
Proceed(o, r) ==
    /\ IF r.pc # "found" THEN owner' = [owner EXCEPT ![o] = r] /\ UNCHANGED lost
       ELSE LET head == Max({IF r.found = 0 THEN r.hint ELSE r.found, r.low - 1})
            IN /\ owner' = [owner EXCEPT ![o] = Ready(head)]
               /\ IF head < r.begin THEN Broken("the highest number went down")
                  ELSE IF head < low - 1 THEN Broken("what was stored and deleted meanwhile does not count")
                  ELSE UNCHANGED lost
    /\ UNCHANGED <<table, removal, late, writes, deletes, top>>

Searching == \E o \in Owners : owner[o].pc \in {"begun", "target", "down", "up", "below", "uncertain"}
Begun(begin, hint) == [Stopped EXCEPT !.pc = "begun", !.begin = begin, !.hint = hint, !.low = Unread, !.page = Unread]

(* Without a snapshot, or with one. One at a time: recoveries change nothing, and do not see each other. *)
Recover(o) ==
    /\ owner[o].pc = "stopped" /\ ~Searching
    /\ \E hint \in {0} \cup First .. top : Proceed(o, Begun(top, hint))

ReadMarks(o) ==
    /\ owner[o].pc = "begun" /\ owner[o].low = Unread /\ (MarksAfter => owner[o].page # Unread)
    /\ Proceed(o, BothRead([owner[o] EXCEPT !.low = low, !.high = high]))

ReadHint(o) ==
    /\ owner[o].pc = "begun" /\ owner[o].page = Unread
    /\ Proceed(o, BothRead([owner[o] EXCEPT !.page = LastIn(GroupOf(owner[o].hint), owner[o].hint)]))

(* Several groups are read at once, so in any order. *)
ReadGroup(o) ==
    \E group \in owner[o].todo :
        LET last == LastIn(group, 0)
            r == [owner[o] EXCEPT !.todo = @ \ {group}, !.found = Max({@, last}), !.after = TRUE]
        IN Proceed(o, CASE r.todo # {} -> r
                        [] r.pc = "target" -> TargetRead(r)
                        [] r.pc = "down" \/ (r.pc = "up" /\ last > 0) -> LookedDown(r)
                        [] r.pc = "up" -> LookedUp(r)
                        [] OTHER -> Judged(r))

(* TailSearch.wasOvertaken: if the low mark has moved, all is read again. *)
ReadLowAgain(o) ==
    /\ owner[o].pc = "uncertain"
    /\ Proceed(o, IF low > owner[o].low THEN Begun(owner[o].begin, owner[o].hint) ELSE [owner[o] EXCEPT !.pc = "found"])

------------------------------------------------------------------------------
(* Writes: WriteQueue, OwnHead. Each of them is slow: a quick one need not    *)
(* look at the low mark, if nobody is quicker (see Journal-quick-takeover).   *)

(* The event, and with the first one of a group the high mark. *)
Put(n) ==
    /\ stored' = stored \cup {n}
    /\ high' = IF n = StartOf(n) THEN n ELSE high

Send(o) ==
    /\ owner[o].pc = "ready" /\ owner[o].head < Last /\ writes < Writes
    /\ owner' = [owner EXCEPT ![o].pc = "writing"]
    /\ writes' = writes + 1
    /\ UNCHANGED <<table, removal, late, deletes, top, lost>>

(* The number must be free. `begin` is the last number that others have used by then. *)
Write(o) ==
    /\ owner[o].pc = "writing"
    /\ LET n == owner[o].head + 1
       IN IF n \in stored THEN owner' = [owner EXCEPT ![o] = Stopped] /\ UNCHANGED <<stored, high>>
          ELSE Put(n) /\ owner' = [owner EXCEPT ![o].pc = "written", ![o].begin = Max({top, low - 1})]
    /\ UNCHANGED <<low, removal, late, writes, deletes, top, lost>>

Acknowledge(o) ==
    /\ owner[o].pc = "written"
    /\ LET n == owner[o].head + 1
       IN IF LooksAfter /\ low > n THEN owner' = [owner EXCEPT ![o] = Stopped] /\ UNCHANGED <<top, lost>>
          ELSE /\ owner' = [owner EXCEPT ![o] = Ready(n)]
               /\ top' = Max({top, n})
               /\ IF n <= owner[o].begin THEN Broken("acknowledged under a number that others had") ELSE UNCHANGED lost
    /\ UNCHANGED <<table, removal, late, writes, deletes>>

(* The write is reported as failed, or its node dies: what was sent may arrive later. *)
Stop(o) ==
    /\ owner[o].pc \in {"ready", "writing", "written"}
    /\ late' = IF owner[o].pc = "writing" THEN late \cup {owner[o].head + 1} ELSE late
    /\ owner' = [owner EXCEPT ![o] = Stopped]
    /\ UNCHANGED <<table, removal, writes, deletes, top, lost>>

WriteLate ==
    /\ \E n \in late : late' = late \ {n} /\ IF n \in stored THEN UNCHANGED <<stored, high>> ELSE Put(n)
    /\ UNCHANGED <<low, owner, removal, writes, deletes, top, lost>>

------------------------------------------------------------------------------
(* Deletion, in any order; what an earlier one has left goes along.           *)

Delete(o) ==
    /\ owner[o].pc = "ready" /\ deletes < Deletes
    /\ \E to \in Max({1, low}) .. owner[o].head :
        /\ removal' = [removal EXCEPT ![o] = [left |-> {n \in stored : n <= to}, low |-> IF LowFirst THEN 0 ELSE to + 1]]
        /\ low' = IF LowFirst THEN to + 1 ELSE low
    /\ deletes' = deletes + 1
    /\ UNCHANGED <<stored, high, owner, late, writes, top, lost>>

Remove(o) ==
    /\ LET r == removal[o]
       IN \/ \E n \in r.left :
               /\ stored' = stored \ {n} /\ UNCHANGED low
               /\ removal' = [removal EXCEPT ![o].left = @ \ {n}]
          \/ r.left = {} /\ r.low > low /\ low' = r.low /\ UNCHANGED <<stored, removal>>
    /\ UNCHANGED <<high, owner, late, writes, deletes, top, lost>>

Next ==
    \/ WriteLate
    \/ \E o \in Owners : \/ Recover(o) \/ ReadMarks(o) \/ ReadHint(o) \/ ReadGroup(o) \/ ReadLowAgain(o)
                         \/ Send(o) \/ Write(o) \/ Acknowledge(o) \/ Stop(o) \/ Delete(o) \/ Remove(o)

Spec == Init /\ [][Next]_vars
NothingLost == lost = "nothing"
Alike == Permutations(Owners)
==============================================================================
