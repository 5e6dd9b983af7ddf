-------------------------------- MODULE Chain --------------------------------
(* A chain: an atomic write that needs several transactions, here three, for  *)
(* its events 1, 2 and 3, and 4. Its writer may be slow, or dead. Recoveries  *)
(* give it up and remove what is left of it, while others write.              *)
(*                                                                            *)
(* One step is what DynamoDB does at once. A page for the replay is read      *)
(* before the tail. Not modelled: the low mark (see Journal.tla).             *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS
    Owners,          \* nodes that believe to own the entity
    Last,            \* the highest sequence number
    Writes,          \* how many writes are begun
    FirstChecked,    \* EventWrites.checkBatch: later transactions need the chain's first event
    EndChecked,      \* ChainRemover.giveUp: the chain's last event must be missing
    BoundToTheChain, \* ChainRemover.deletion: only events with the chain's id are removed
    TokensKnown,     \* DynamoDB: a transaction that was stored is not stored again
    GapsReadAgain,   \* CheckedPages.upToDate: a page that is older than the tail is read again where it has a gap
    ChainsReadAgain, \* EntityScan.mayBeReplaced: ... and where it has a part of a chain that is not whole
    AlsoAfterGaps    \* PagesAhead.isOutdated: ... also before a gap from which on it was read again

Numbers == 1 .. Last
Free == 0
Size == 4
Links == <<{0}, {1, 2}, {3}>>   \* places in the chain, by transaction

VARIABLES
    item,     \* the table: number -> name of the write, or Free
    begun,    \* the writes: name -> [first, size]
    owner,    \* what each owner does and knows
    late,     \* transactions that can be sent once more
    truth, top, \* the history as the last acknowledged write knew it, and its last number
    lost      \* which promise was broken

vars == <<item, begun, owner, late, truth, top, lost>>

Max(S) == IF S = {} THEN 0 ELSE CHOOSE n \in S : \A m \in S : m <= n
Min(S) == CHOOSE n \in S : \A m \in S : m >= n
Nothing == [n \in Numbers |-> Free]
EndOf(w) == begun[w].first + begun[w].size - 1
(* UnfinishedChain.isPartOf *)
IsUnfinished(events, n) == n > 0 /\ events[n] # Free /\ begun[events[n]].size > 1 /\ n < EndOf(events[n])
LastIn(events) == Max({n \in Numbers : events[n] # Free})
(* BatchFilter: an atomic write is replayed whole or not at all. *)
Whole(events, upTo) == [n \in Numbers |->
    IF n <= upTo /\ events[n] # Free
       /\ \A m \in begun[events[n]].first .. EndOf(events[n]) : m <= upTo /\ events[m] = events[n]
    THEN events[n] ELSE Free]

Stopped == [pc |-> "stopped", begin |-> 0, page |-> Nothing, fresh |-> Last + 1, gaveUp |-> {}, head |-> 0, state |-> Nothing,
            chain |-> 0, link |-> 0]

Init ==
    /\ item = Nothing /\ begun = <<>> /\ late = {}
    /\ owner = [o \in Owners |-> [Stopped EXCEPT !.pc = "ready"]]
    /\ truth = Nothing /\ top = 0 /\ lost = "nothing"

Broken(what) == lost' = IF lost = "nothing" THEN what ELSE lost

------------------------------------------------------------------------------
(* Writes: WriteQueue. `chain` is what the owner writes, or has to remove.    *)

Keys(w, link) == IF begun[w].size = 1 THEN {begun[w].first} ELSE {begun[w].first + i : i \in Links[link]}
Passes(w, link) ==
    /\ \A n \in Keys(w, link) : item[n] = Free
    /\ FirstChecked /\ link > 1 => item[begun[w].first] = w
Stored(w, link) == [n \in Numbers |-> IF n \in Keys(w, link) THEN w ELSE item[n]]

Begin(o) ==
    /\ owner[o].pc = "ready" /\ Len(begun) < Writes
    /\ owner[o].chain = 0  \* ChainRemovals.ended: the next write waits until all is removed
    /\ \E size \in {1, Size} :
        /\ owner[o].head + size <= Last
        /\ begun' = Append(begun, [first |-> owner[o].head + 1, size |-> size])
    /\ owner' = [owner EXCEPT ![o].pc = "writing", ![o].chain = Len(begun) + 1, ![o].link = 1]
    /\ UNCHANGED <<item, late, truth, top, lost>>

Write(o) ==
    /\ owner[o].pc = "writing"
    /\ LET w == owner[o].chain
           link == owner[o].link
           end == EndOf(w)
           done == link = Len(Links) \/ begun[w].size = 1
       IN IF ~Passes(w, link) THEN owner' = [owner EXCEPT ![o] = Stopped] /\ UNCHANGED <<item, late, truth, top, lost>>
          ELSE /\ item' = Stored(w, link)
               /\ late' = IF TokensKnown \/ link > 1 THEN late ELSE {w}
               /\ IF ~done THEN owner' = [owner EXCEPT ![o].link = @ + 1] /\ UNCHANGED <<truth, top, lost>>
                  ELSE LET state == [n \in Numbers |-> IF n \in begun[w].first .. end THEN w ELSE owner[o].state[n]]
                       IN /\ owner' = [owner EXCEPT ![o] = [Stopped EXCEPT !.pc = "ready", !.head = end, !.state = state]]
                          /\ top' = Max({top, end})
                          /\ truth' = [n \in Numbers |-> IF n > top \/ n >= begun[w].first THEN state[n] ELSE truth[n]]
                          /\ IF begun[w].first <= top THEN Broken("acknowledged before what was acknowledged")
                             ELSE IF \E n \in 1 .. top : state[n] # truth[n]
                                  THEN Broken("acknowledged on a state that is not the entity's")
                             ELSE UNCHANGED lost
    /\ UNCHANGED begun

(* The first transaction comes once more: its answer was lost. *)
Repeat ==
    /\ \E w \in late :
        /\ late' = late \ {w}
        /\ item' = IF Passes(w, 1) THEN Stored(w, 1) ELSE item
    /\ UNCHANGED <<begun, owner, truth, top, lost>>

Stop(o) ==
    /\ owner[o].pc \in {"ready", "writing"}
    /\ owner' = [owner EXCEPT ![o] = Stopped]
    /\ UNCHANGED <<item, begun, late, truth, top, lost>>

------------------------------------------------------------------------------
(* Recovery: TailFinding, ChainRemover, EntityScan.                           *)

ReadPage(o) ==
    /\ owner[o].pc = "stopped"
    /\ owner' = [owner EXCEPT ![o] = [Stopped EXCEPT !.pc = "reading", !.begin = top, !.page = item]]
    /\ UNCHANGED <<item, begun, late, truth, top, lost>>

(* The last event without those of a chain that is given up: TailSearch.lastBefore *)
Without(chains) == [n \in Numbers |-> IF item[n] \in chains THEN Free ELSE item[n]]

ReadTail(o) ==
    /\ owner[o].pc = "reading"
    /\ LET last == LastIn(Without(owner[o].gaveUp))
           left == {item[n] : n \in {m \in Numbers : item[m] \in owner[o].gaveUp}} \ {Free}
       IN owner' = [owner EXCEPT ![o] =
              IF IsUnfinished(item, last) THEN [@ EXCEPT !.pc = "giving up", !.chain = item[last]]
              ELSE [@ EXCEPT !.pc = "replaying", !.head = last, !.chain = Max(left)]]
    /\ UNCHANGED <<item, begun, late, truth, top, lost>>

(* One transaction: the first event goes, if the last is missing. Then all is read again. *)
GiveUp(o) ==
    /\ owner[o].pc = "giving up"
    /\ LET w == owner[o].chain
           first == begun[w].first
           finished == EndChecked /\ item[EndOf(w)] = w
           taken == item[first] \notin {Free, w}  \* another's already: nothing to do
           again == [Stopped EXCEPT !.pc = "reading", !.begin = owner[o].begin]
       IN /\ item' = IF finished \/ taken THEN item ELSE [item EXCEPT ![first] = Free]
          /\ owner' = [owner EXCEPT ![o] = [again EXCEPT !.gaveUp = IF finished THEN @ ELSE owner[o].gaveUp \cup {w},
                                                         !.page = item']]
    /\ UNCHANGED <<begun, late, truth, top, lost>>

Missing(r) == {n \in 1 .. r.head : r.page[n] = Free}
(* BatchFilter.droppedBy: what is left of a chain that was replaced since. *)
Dropped(r) == {n \in 1 .. r.head : n < r.fresh /\ r.page[n] # Free /\ Whole(r.page, r.head)[n] = Free}

(* What was read before the tail is read again: from the first gap on, once, and from what is left of a chain. *)
Replay(o) ==
    /\ owner[o].pc = "replaying"
    /\ LET r == owner[o]
           old == r.fresh > Last
           newer(from) == [owner EXCEPT ![o].fresh = from,
                                        ![o].page = [n \in Numbers |-> IF n < from THEN r.page[n] ELSE item[n]]]
           state == Whole(r.page, r.head)
       IN IF old /\ GapsReadAgain /\ Missing(r) # {} THEN owner' = newer(Min(Missing(r))) /\ UNCHANGED lost
          ELSE IF ChainsReadAgain /\ (old \/ AlsoAfterGaps) /\ Dropped(r) # {}
          THEN owner' = newer(Min(Dropped(r))) /\ UNCHANGED lost
          ELSE /\ owner' = [owner EXCEPT ![o] = [Stopped EXCEPT !.pc = "ready", !.head = r.head, !.state = state,
                                                                !.chain = r.chain]]
               /\ IF r.head < r.begin THEN Broken("the highest number went down")
                  ELSE IF \E n \in 1 .. r.begin : state[n] # truth[n]
                       THEN Broken("what was acknowledged is not what is replayed")
                  ELSE UNCHANGED lost
    /\ UNCHANGED <<item, begun, late, truth, top>>

(* ChainRemover.remove: from the end, the second event last. It looks first, and deletes then. *)
Look(o) ==
    /\ owner[o].pc = "ready" /\ owner[o].chain > 0 /\ owner[o].link = 0
    /\ LET left == {n \in Numbers : item[n] = owner[o].chain}
       IN owner' = [owner EXCEPT ![o] = IF left = {} THEN [@ EXCEPT !.chain = 0] ELSE [@ EXCEPT !.link = Max(left)]]
    /\ UNCHANGED <<item, begun, late, truth, top, lost>>

Remove(o) ==
    /\ owner[o].pc = "ready" /\ owner[o].link > 0
    /\ item' = IF BoundToTheChain /\ item[owner[o].link] # owner[o].chain THEN item
               ELSE [item EXCEPT ![owner[o].link] = Free]
    /\ owner' = [owner EXCEPT ![o].link = 0]
    /\ UNCHANGED <<begun, late, truth, top, lost>>

Next ==
    \/ Repeat
    \/ \E o \in Owners :
        \/ Begin(o) \/ Write(o) \/ Stop(o) \/ ReadPage(o) \/ ReadTail(o) \/ GiveUp(o) \/ Replay(o)
        \/ Look(o) \/ Remove(o)

Spec == Init /\ [][Next]_vars

NothingLost == lost = "nothing"
Alike == Permutations(Owners)
==============================================================================
