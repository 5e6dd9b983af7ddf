------------------------------- MODULE Offsets -------------------------------
(* One slice of an exactly-once projection, with two live instances that do   *)
(* not know of each other, and somebody who sets the offset by hand. Any of   *)
(* their requests can be slow, and those of the last one can come twice.      *)
(*                                                                            *)
(* Time is the place of an event in the journal. A query delivers from a      *)
(* place on, in order (Slices.tla says why). Not modelled: expiry, entities   *)
(* that begin anew, groups, what an offset has in `seen`, older versions. At  *)
(* least once is in Saves.tla. The row of a dropped event is stored as that   *)
(* of any other: OffsetTable.raise has the condition of OffsetRows.put.       *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS
    Instances,
    Moves,          \* how often the offset is set
    RowsFenced,     \* OffsetRows.put: the row must hold a lower number
    EpochsFenced,   \* OffsetRows.put: ... and no higher epoch
    PassesChecked,  \* OffsetTable.transact: where events were passed over, nobody has set the offset again
    RowsStay,       \* ByHand.tombstones: a row that is taken back is replaced, not deleted
    OnlyEarlier,    \* ByHand.putIfEarlier: ... if it is of a lower epoch
    PlacesByEpoch,  \* SliceRows.isFromBefore: a place of a lower epoch does not count
    SetIsKept,      \* SliceOffset.setTo: events before the offset that was set count as processed
    NoStartMeanwhile \* no instance starts while the offset is being set

Events == <<[of |-> "p", seq |-> 1], [of |-> "q", seq |-> 1], [of |-> "p", seq |-> 2]>>
Times == 1 .. Len(Events)
Entities == {"p", "q"}
TimeOf(e, seq) == CHOOSE t \in Times : Events[t] = [of |-> e, seq |-> seq]
SeqsOf(e) == {Events[t].seq : t \in {t \in Times : Events[t].of = e}}

VARIABLES
    row,      \* entity -> [seq, epoch]; seq 0: there is none, or it was taken back
    place,    \* the slice's row: `next` is the first time that is not processed
    set,      \* the `_set` row: [epoch, to]; epoch 0: there is none
    move,     \* what the one who sets the offset does
    moves,
    sent,     \* the entities whose rows it has taken back: these requests can arrive again
    instance, \* what each instance does and knows
    last,     \* the truth: entity -> the last event that was applied since it was taken back
    lost

vars == <<row, place, set, move, moves, sent, instance, last, lost>>

Unloaded == -1
Max(S) == IF S = {} THEN 0 ELSE CHOOSE n \in S : \A m \in S : m <= n
Min(S) == CHOOSE n \in S : \A m \in S : m >= n
Off == [pc |-> "off", place |-> [next |-> 1, epoch |-> 0, to |-> 0], epoch |-> 0, at |-> 0,
        known |-> [e \in Entities |-> Unloaded], req |-> 0]
Idle == [pc |-> "idle", to |-> 0, epoch |-> 0, back |-> {}]

Init ==
    /\ row = [e \in Entities |-> [seq |-> 0, epoch |-> 0]]
    /\ place = [next |-> 1, epoch |-> 0, to |-> 0]
    /\ set = [epoch |-> 0, to |-> 0]
    /\ move = Idle /\ moves = 0 /\ sent = {}
    /\ instance = [i \in Instances |-> Off]
    /\ last = [e \in Entities |-> 0] /\ lost = "nothing"

Broken(what) == lost' = IF lost = "nothing" THEN what ELSE lost

------------------------------------------------------------------------------
(* A start: OffsetTable.start, SliceRows.find. The place first, then what was *)
(* set, if anything ever was.                                                 *)

Found(read, given) == IF PlacesByEpoch /\ given.epoch > read.epoch
                      THEN [next |-> given.to, epoch |-> given.epoch, to |-> given.to] ELSE read
Started(read, given) ==
    LET found == Found(read, given)
    IN [Off EXCEPT !.pc = "on", !.place = found, !.epoch = given.epoch, !.at = found.next]

ReadPlace(i) ==
    /\ instance[i].pc = "off"
    /\ instance' = [instance EXCEPT ![i] =
           IF moves > 0 THEN [Off EXCEPT !.pc = "starting", !.place = place] ELSE Started(place, set)]
    /\ UNCHANGED <<row, place, set, move, moves, sent, last, lost>>

ReadSet(i) ==
    /\ instance[i].pc = "starting"
    /\ NoStartMeanwhile => move.pc \notin {"taking back", "found"} /\ (Moves > 1 => move.pc = "idle")
    /\ instance' = [instance EXCEPT ![i] = Started(@.place, set)]
    /\ UNCHANGED <<row, place, set, move, moves, sent, last, lost>>

------------------------------------------------------------------------------
(* Processing: Admission and StreamProgress, then Transactions.           *)

SetTo(r) == IF SetIsKept THEN r.place.to ELSE 0

(* The next event is judged by the entity's row, which is read when the entity first shows up. *)
Take(i) ==
    /\ instance[i].pc = "on" /\ instance[i].req = 0 /\ instance[i].at <= Len(Events)
    /\ LET r == instance[i]
           e == Events[r.at].of
           seq == Events[r.at].seq
           known == IF r.known[e] = Unloaded THEN row[e].seq ELSE r.known[e]
           missing == {n \in SeqsOf(e) : n > known /\ n <= seq /\ TimeOf(e, n) >= SetTo(r)}
       IN instance' = [instance EXCEPT ![i] =
              IF r.known[e] = Unloaded /\ row[e].epoch > r.epoch THEN Off       \* OffsetWasSetException
              ELSE IF r.at < SetTo(r) \/ seq <= known
                   THEN [r EXCEPT !.known[e] = known, !.at = @ + 1]              \* a duplicate
                   ELSE [r EXCEPT !.known[e] = known, !.req = Min(missing)]]     \* what is missing comes first
    /\ UNCHANGED <<row, place, set, move, moves, sent, last, lost>>

(* What the handler changes and the entity's row, in one transaction. *)
Transact(i) ==
    /\ instance[i].pc = "on" /\ instance[i].req > 0
    /\ LET r == instance[i]
           e == Events[r.at].of
           n == r.req
           done == [r EXCEPT !.known[e] = n, !.req = 0, !.at = IF n = Events[r.at].seq THEN @ + 1 ELSE @]
           passesOver == \E m \in SeqsOf(e) : m > r.known[e] /\ m < n
           passes == /\ EpochsFenced => row[e].epoch <= r.epoch
                     /\ RowsFenced => row[e].seq < n
                     /\ PassesChecked /\ passesOver => set.epoch <= r.epoch
       IN IF passes
          THEN /\ row' = [row EXCEPT ![e] = [seq |-> n, epoch |-> r.epoch]]
               /\ instance' = [instance EXCEPT ![i] = done]
               /\ last' = [last EXCEPT ![e] = Max({@, n})]
               /\ IF n <= last[e] THEN Broken("an event was applied twice")
                  ELSE IF \E m \in last[e] + 1 .. n - 1 : TimeOf(e, m) >= Max({set.to, move.to})
                       THEN Broken("an event was left out")
                  ELSE IF TimeOf(e, n) < r.place.to THEN Broken("an event before the offset was applied")
                  ELSE UNCHANGED lost
          ELSE /\ instance' = [instance EXCEPT ![i] =  \* Transactions.refused
                      IF row[e].epoch <= r.epoch /\ row[e].seq >= n THEN done ELSE Off]
               /\ UNCHANGED <<row, last, lost>>
    /\ UNCHANGED <<place, set, move, moves, sent>>

(* OffsetSaver: without a condition. *)
Flush(i) ==
    /\ instance[i].pc = "on" /\ instance[i].at > instance[i].place.next
    /\ place' = [next |-> instance[i].at, epoch |-> instance[i].epoch, to |-> instance[i].place.to]
    /\ UNCHANGED <<row, set, move, moves, sent, instance, last, lost>>

Stop(i) ==
    /\ instance[i].pc = "on"
    /\ instance' = [instance EXCEPT ![i] = Off]
    /\ UNCHANGED <<row, place, set, move, moves, sent, last, lost>>

------------------------------------------------------------------------------
(* Setting the offset: ByHand. First the place, then what was set, then the   *)
(* rows of entities that have processed events from there on.                 *)

MovePlace ==
    /\ move.pc = "idle" /\ moves < Moves
    /\ \E to \in Times :
        /\ move' = [pc |-> "placed", to |-> to, epoch |-> set.epoch + 1, back |-> {}]
        /\ place' = [next |-> to, epoch |-> set.epoch + 1, to |-> to]
    /\ moves' = moves + 1 /\ sent' = {}
    /\ UNCHANGED <<row, set, instance, last, lost>>

MoveSet ==
    /\ move.pc = "placed"
    /\ set' = [epoch |-> move.epoch, to |-> move.to]
    /\ move' = [move EXCEPT !.pc = "taking back", !.back = Entities]
    /\ UNCHANGED <<row, place, moves, sent, instance, last, lost>>

(* A query, and then a put of each row that it has found. *)
FindRows ==
    /\ move.pc = "taking back" /\ move.back = Entities
    /\ move' = [move EXCEPT !.pc = "found",
           !.back = {e \in Entities : IF row[e].seq = 0 THEN row[e].epoch > 0 ELSE TimeOf(e, row[e].seq) >= move.to}]
    /\ UNCHANGED <<row, place, set, moves, sent, instance, last, lost>>

Replace(e, epoch) ==
    row' = IF OnlyEarlier /\ row[e].epoch >= epoch THEN row
           ELSE [row EXCEPT ![e] = [seq |-> 0, epoch |-> IF RowsStay THEN epoch ELSE 0]]

TakeBack ==
    /\ move.pc = "found"
    /\ \/ \E e \in move.back :
            /\ Replace(e, move.epoch)
            /\ last' = [last EXCEPT ![e] = Max({n \in SeqsOf(e) : TimeOf(e, n) < move.to})]
            /\ move' = [move EXCEPT !.back = @ \ {e}]
            /\ sent' = sent \cup {e}
       \/ move.back = {} /\ move' = Idle /\ UNCHANGED <<row, last, sent>>
    /\ UNCHANGED <<place, set, moves, instance, lost>>

(* A request that was sent again arrives when all is over. *)
TakeBackLate ==
    /\ move.pc = "idle"
    /\ \E e \in sent : Replace(e, set.epoch)
    /\ UNCHANGED <<place, set, move, moves, sent, instance, last, lost>>

Next ==
    \/ MovePlace \/ MoveSet \/ FindRows \/ TakeBack \/ TakeBackLate
    \/ \E i \in Instances : ReadPlace(i) \/ ReadSet(i) \/ Take(i) \/ Transact(i) \/ Flush(i) \/ Stop(i)

Spec == Init /\ [][Next]_vars

AppliedOnceInOrder == lost = "nothing"

(* Whoever starts now misses nothing. *)
NothingSkipped ==
    move.pc = "idle" =>
        \A t \in Times :
            t < Found(place, set).next /\ t >= set.to => Events[t].seq <= last[Events[t].of]

Alike == Permutations(Instances)
==============================================================================
