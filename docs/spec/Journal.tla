------------------------------- MODULE Journal -------------------------------
(* One entity of the journal: owners on different nodes that recover, write,  *)
(* reject and delete at the same time, without knowing of each other.         *)
(*                                                                            *)
(* One step is what DynamoDB does at once: a conditional put or transaction,  *)
(* or reading one item. A page of a query is read item by item.               *)
(*                                                                            *)
(* Each rule of the code is a constant. A configuration that drops one must   *)
(* end in a loss. Not modelled: groups of numbers and snapshots (Groups.tla), *)
(* chains (Chain.tla), placeholders in transactions of their own, several     *)
(* instances on one node.                                                     *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Owners,           \* nodes that believe to own the entity
    Last,             \* the highest sequence number
    Writes,           \* how many writes are sent
    Deletes,          \* how many deletions are decided
    MarksAfterEvents, \* TailSearch.run: the marks are read after the last event, which they judge
    GapsReadAgain,    \* CheckedPages.upToDate: a page with a gap that was read before the tail is read again
    LowAfterGaps,     \* CheckedPages.upToDate: the low mark is read for what is still missing
    FillRejected,     \* FreeNumbers: the next write takes rejected numbers along, as placeholders
    LowAboveHead,     \* OwnHead.overtakenBy: a low mark above the own head is another writer's
    SlowTakeovers     \* nobody takes over, writes and deletes within check-writer-after

Numbers == 1 .. Last
Free == 0             \* nothing stands there
Placeholder == -1     \* positive numbers are names of writes

VARIABLES
    item,      \* the table: what stands under each number
    low,       \* the low mark: events before it are deleted
    owner,     \* what each owner does and knows
    removal,   \* what each owner's deletion has yet to take away
    late,      \* writes that were reported as failed and can still arrive
    writes, deletes,
    truth,     \* the entity's history: number -> write, as the last acknowledged write knew it
    top,       \* the last number that was acknowledged
    lost       \* which promise was broken

vars == <<item, low, owner, removal, late, writes, deletes, truth, top, lost>>
table == <<item, low>>
ghosts == <<truth, top, lost>>

Max(S) == IF S = {} THEN 0 ELSE CHOOSE n \in S : \A m \in S : m <= n
Min(S) == CHOOSE n \in S : \A m \in S : m >= n
Nothing == [n \in Numbers |-> Free]
Stopped == [pc |-> "stopped", marks |-> 0, at |-> 0, found |-> FALSE, page |-> Nothing, next |-> 0, again |-> FALSE,
            begin |-> 0, head |-> 0, first |-> 0, state |-> Nothing, name |-> 0]

(* One owner has stored event 1, and it was acknowledged. *)
Init ==
    /\ item = [Nothing EXCEPT ![1] = 1] /\ low = 1
    /\ \E o \in Owners :
        owner = [p \in Owners |-> IF p # o THEN Stopped
                                  ELSE [Stopped EXCEPT !.pc = "ready", !.marks = 1, !.head = 1, !.next = 2,
                                                       !.state = item]]
    /\ removal = [o \in Owners |-> {}]
    /\ late = {} /\ writes = 1 /\ deletes = 0
    /\ truth = item /\ top = 1 /\ lost = "nothing"

Broken(what) == lost' = IF lost = "nothing" THEN what ELSE lost

------------------------------------------------------------------------------
(* Recovery. Three reads: the last event from the top down and then the marks *)
(* (TailSearch), and the page for the replay from the bottom up, at any time. *)
(* What a read makes known is judged in the same step.                        *)

Reading(begin) == [Stopped EXCEPT !.pc = "reading", !.at = Last, !.next = 1, !.begin = begin]
Missing(r) == {n \in r.marks .. r.head : r.page[n] = Free}

(* CheckedPages.upToDate: what becomes of the page when the tail is known. *)
Replayed(r) ==
    IF Missing(r) = {} THEN [r EXCEPT !.pc = "replayed"]
    ELSE IF GapsReadAgain /\ ~r.again
         THEN [r EXCEPT !.pc = "reading again", !.next = Min(Missing(r)), !.again = TRUE]
         ELSE [r EXCEPT !.pc = IF LowAfterGaps THEN "missing" ELSE "replayed"]

(* TailSearch.tail, when all three reads are done. *)
Judged(r) ==
    IF r.marks = 0 \/ ~(r.found \/ r.at = 0) \/ r.next <= Last THEN r
    ELSE Replayed([r EXCEPT !.head = Max({r.at, r.marks - 1})])

(* The owner goes on with what it knows; when all is replayed, that is compared with the truth. *)
Proceed(o, r) ==
    /\ IF r.pc # "replayed" THEN owner' = [owner EXCEPT ![o] = r] /\ UNCHANGED lost
       ELSE LET state == [n \in Numbers |-> IF n \in r.marks .. r.head /\ r.page[n] > 0 THEN r.page[n] ELSE Free]
            IN /\ owner' = [owner EXCEPT ![o] = [Stopped EXCEPT !.pc = "ready", !.marks = r.marks, !.head = r.head,
                                                                !.next = r.head + 1, !.state = state]]
               /\ IF r.head < r.begin THEN Broken("the highest number went down")
                  ELSE IF \E n \in r.marks .. r.begin : state[n] # truth[n]
                       THEN Broken("what was acknowledged is not what is replayed")
                  ELSE UNCHANGED lost
    /\ UNCHANGED <<table, removal, late, writes, deletes, truth, top>>

(* One at a time: recoveries change nothing, and do not see each other. *)
Recover(o) ==
    /\ owner[o].pc = "stopped" /\ \A p \in Owners : owner[p].pc \in {"stopped", "ready", "writing"}
    /\ Proceed(o, Reading(top))

ReadMarks(o) ==
    /\ owner[o].pc = "reading" /\ owner[o].marks = 0
    /\ MarksAfterEvents => owner[o].found \/ owner[o].at = 0
    /\ Proceed(o, Judged([owner[o] EXCEPT !.marks = low]))

ReadTail(o) ==
    /\ owner[o].pc = "reading" /\ owner[o].at > 0 /\ ~owner[o].found
    /\ Proceed(o, Judged(IF item[owner[o].at] # Free THEN [owner[o] EXCEPT !.found = TRUE]
                         ELSE [owner[o] EXCEPT !.at = @ - 1]))

ReadPage(o) ==
    /\ owner[o].pc \in {"reading", "reading again"} /\ owner[o].next <= Last
    /\ LET n == owner[o].next
           r == [owner[o] EXCEPT !.page[n] = item[n], !.next = n + 1]
       IN Proceed(o, IF r.pc = "reading" THEN Judged(r) ELSE IF n < Last THEN r ELSE Replayed(r))

(* CheckedPages.deleted: a recovery under which events were deleted fails. *)
ReadLowForGap(o) ==
    /\ owner[o].pc = "missing"
    /\ Proceed(o, IF low > Min(Missing(owner[o])) THEN Stopped ELSE [owner[o] EXCEPT !.pc = "replayed"])

------------------------------------------------------------------------------
(* Writes: EntityWriter, WriteQueue. `next` is the entity's next number,      *)
(* `head` the last one that is stored as far as this node knows.              *)

Reject(o) ==
    /\ owner[o].pc = "ready" /\ owner[o].next < Last
    /\ owner' = [owner EXCEPT ![o].next = @ + 1]
    /\ UNCHANGED <<table, removal, late, writes, deletes, ghosts>>

(* OwnHead.afterPause: the low mark is read first. *)
Send(o) ==
    /\ owner[o].pc = "ready" /\ owner[o].next <= Last /\ writes < Writes
    /\ LET overtaken == SlowTakeovers /\ low > owner[o].head + 1
           head == IF overtaken THEN low - 1 ELSE owner[o].head
       IN IF overtaken /\ (LowAboveHead \/ head >= owner[o].next)
          THEN owner' = [owner EXCEPT ![o] = Stopped] /\ UNCHANGED writes
          ELSE /\ owner' = [owner EXCEPT ![o].pc = "writing", ![o].name = writes + 1, ![o].first = head + 1]
               /\ writes' = writes + 1
    /\ UNCHANGED <<table, removal, late, deletes, ghosts>>

Keys(r) == IF FillRejected THEN r.first .. r.next ELSE {r.next}
Stored(r) == [n \in Numbers |-> IF n = r.next THEN r.name ELSE IF n \in Keys(r) THEN Placeholder ELSE item[n]]
(* What the assumption excludes: the mark was raised above the write while it was under way (see Groups.tla). *)
InTime(r) == SlowTakeovers => low <= r.first

(* One transaction, or one put: each key must be free. *)
Write(o) ==
    /\ owner[o].pc = "writing" /\ InTime(owner[o])
    /\ LET r == owner[o] IN
       IF \E n \in Keys(r) : item[n] # Free
       THEN owner' = [owner EXCEPT ![o] = Stopped] /\ UNCHANGED <<item, ghosts>> \* WriterConflictException
       ELSE /\ item' = Stored(r)
            /\ \/ owner' = [owner EXCEPT ![o] = Stopped] /\ UNCHANGED ghosts \* the answer is lost
               \/ /\ owner' = [owner EXCEPT ![o] = [@ EXCEPT !.pc = "ready", !.head = r.next, !.next = r.next + 1,
                                                             !.state[r.next] = r.name, !.first = 0, !.name = 0]]
                  /\ top' = Max({top, r.next})
                  /\ truth' = [n \in Numbers |-> IF n = r.next THEN r.name
                                                 ELSE IF n > top THEN r.state[n] ELSE truth[n]]
                  /\ IF r.next < low THEN Broken("acknowledged below the low mark")
                     ELSE IF r.next <= top THEN Broken("acknowledged before what was acknowledged")
                     ELSE IF \E n \in r.marks .. top : r.state[n] # truth[n]
                          THEN Broken("acknowledged on a state that is not the entity's")
                     ELSE UNCHANGED lost
    /\ UNCHANGED <<low, removal, late, writes, deletes>>

(* The write is reported as failed, or its node dies: what was sent may arrive later. *)
Stop(o) ==
    /\ owner[o].pc \in {"ready", "writing"}
    /\ late' = IF owner[o].pc # "writing" THEN late
               ELSE late \cup {[first |-> owner[o].first, next |-> owner[o].next, name |-> owner[o].name]}
    /\ owner' = [owner EXCEPT ![o] = Stopped]
    /\ UNCHANGED <<table, removal, writes, deletes, ghosts>>

WriteLate ==
    /\ \E r \in late :
        /\ InTime(r)
        /\ late' = late \ {r}
        /\ item' = IF \E n \in Keys(r) : item[n] # Free THEN item ELSE Stored(r)
    /\ UNCHANGED <<low, owner, removal, writes, deletes, ghosts>>

------------------------------------------------------------------------------
(* Deletion. First the low mark, then the events, in any order; what an       *)
(* earlier deletion may have left goes along (Leftovers). A node that dies    *)
(* leaves the rest.                                                           *)

Delete(o) ==
    /\ owner[o].pc = "ready" /\ deletes < Deletes
    /\ \E to \in low .. owner[o].head :
        /\ removal' = [removal EXCEPT ![o] = {n \in 1 .. to : item[n] # Free}]
        /\ low' = to + 1
    /\ deletes' = deletes + 1
    /\ UNCHANGED <<item, owner, late, writes, ghosts>>

Remove(o) ==
    /\ \E n \in removal[o] :
        /\ item' = [item EXCEPT ![n] = Free]
        /\ removal' = [removal EXCEPT ![o] = @ \ {n}]
    /\ UNCHANGED <<low, owner, late, writes, deletes, ghosts>>

Next ==
    \/ WriteLate
    \/ \E o \in Owners :
        \/ Recover(o) \/ ReadMarks(o) \/ ReadTail(o) \/ ReadPage(o) \/ ReadLowForGap(o)
        \/ Reject(o) \/ Send(o) \/ Write(o) \/ Stop(o) \/ Delete(o) \/ Remove(o)

Spec == Init /\ [][Next]_vars

NothingLost == lost = "nothing"
Alike == Permutations(Owners)
==============================================================================
