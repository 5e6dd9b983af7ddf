-------------------------------- MODULE Saves --------------------------------
(* One entity of an at-least-once projection, with two live instances that do *)
(* not know of each other, and somebody who sets the offset by hand. Rows are *)
(* saved after their events, without a condition, and any request can be      *)
(* slow: what is saved last may be the oldest.                                *)
(*                                                                            *)
(* An event has its number and its time in one. Not modelled: what is not in  *)
(* Offsets.tla either. As there, places are stored without a condition.       *)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
    Instances,
    Events,        \* how many there are
    Dropped,       \* those that an adapter drops: no handler gets them
    SavedByEpoch,  \* OffsetTable.lastProcessed: a row that was saved in a lower epoch does not count
    RaisedAsSaved  \* OffsetTable.raiseSaved: nor does that of a dropped event, which may follow such a row

VARIABLES
    row,      \* the entity's: `epoch` of a row with a condition, `saved` of one without; seq 0: there is none
    place,    \* the slice's: `next` is the first event that is not processed
    set,      \* the `_set` row: [epoch, to]; epoch 0: there is none
    move,     \* what the one who sets the offset does next
    instance, \* what each instance does and knows
    last,     \* the truth: the last event that was processed since the offset was set
    lost

vars == <<row, place, set, move, instance, last, lost>>

None == -1
Max(S) == CHOOSE n \in S : \A m \in S : m <= n
Off == [pc |-> "off", epoch |-> 0, to |-> 0, start |-> 0, at |-> 0, known |-> None, raise |-> 0]

Init ==
    /\ row = [seq |-> 0, epoch |-> 0, saved |-> None]
    /\ place = [next |-> 1, epoch |-> 0, to |-> 0]
    /\ set = [epoch |-> 0, to |-> 0] /\ move = [pc |-> "idle", to |-> 0]
    /\ instance = [i \in Instances |-> Off]
    /\ last = 0 /\ lost = "nothing"

------------------------------------------------------------------------------
(* A start: OffsetTable.start, SliceRows.find. The place first, then what was *)
(* set, if anything ever was. Anybody may start while it is being set.        *)

Found(read) == IF set.epoch > read.epoch
               THEN [next |-> set.to, epoch |-> set.epoch, to |-> set.to] ELSE read
Begun(pc, found, epoch) == [Off EXCEPT !.pc = pc, !.epoch = epoch, !.to = found.to, !.start = found.next, !.at = found.next]

ReadPlace(i) ==
    /\ instance[i].pc = "off"
    /\ instance' = [instance EXCEPT ![i] = Begun(IF move.pc = "idle" THEN "on" ELSE "starting", place, place.epoch)]
    /\ UNCHANGED <<row, place, set, move, last, lost>>

ReadSet(i) ==
    /\ instance[i].pc = "starting"
    /\ LET read == [next |-> instance[i].at, epoch |-> instance[i].epoch, to |-> instance[i].to]
       IN instance' = [instance EXCEPT ![i] = Begun("on", Found(read), set.epoch)]
    /\ UNCHANGED <<row, place, set, move, last, lost>>

------------------------------------------------------------------------------
(* Processing: Admission, StreamProgress.                                 *)

(* What the row says to an instance of that epoch, for which that was set. *)
Counted(epoch, to) ==
    IF SavedByEpoch /\ row.saved \in 0 .. epoch - 1 /\ row.seq >= to THEN 0 ELSE row.seq

Knows(r, n) == [r EXCEPT !.known = n, !.at = Max({@, n + 1})]

Load(i) ==
    /\ instance[i].pc = "on" /\ instance[i].known = None
    /\ instance' = [instance EXCEPT ![i] =
           IF Max({row.epoch, row.saved}) > @.epoch THEN Off  \* OffsetWasSetException
           ELSE Knows(@, Max({Counted(@.epoch, @.to), @.to - 1}))]
    /\ UNCHANGED <<row, place, set, move, last, lost>>

(* The next event, or one that is missing before it. Whoever knows of an earlier offset does not count. *)
Handle(i) ==
    /\ instance[i].pc = "on" /\ instance[i].known # None /\ instance[i].known < Events
    /\ LET n == instance[i].known + 1
           counts == instance[i].epoch = set.epoch
           before == Max({last, move.to - 1})
       IN /\ instance' = [instance EXCEPT ![i] =
                 IF n \in Dropped THEN [Knows(@, n) EXCEPT !.raise = n] ELSE [@ EXCEPT !.pc = "handled"]]
          /\ last' = IF counts THEN Max({last, n}) ELSE last
          /\ lost' = IF counts /\ n > before + 1 THEN "an event was left out" ELSE lost
    /\ UNCHANGED <<row, place, set, move>>

(* OffsetTable.save: without a condition. *)
Save(i) ==
    /\ instance[i].pc = "handled"
    /\ row' = [seq |-> instance[i].known + 1, epoch |-> 0, saved |-> instance[i].epoch]
    /\ instance' = [instance EXCEPT ![i] = [Knows(@, @.known + 1) EXCEPT !.pc = "on"]]
    /\ UNCHANGED <<place, set, move, last, lost>>

(* OffsetSaver.flushDropped: on the condition of OffsetRows.put, long after the event was dropped, or never. *)
Raise(i) ==
    /\ instance[i].raise > 0
    /\ LET r == instance[i]
       IN row' = IF row.epoch > r.epoch \/ row.seq >= r.raise THEN row
                 ELSE IF RaisedAsSaved THEN [seq |-> r.raise, epoch |-> 0, saved |-> r.epoch]
                 ELSE [seq |-> r.raise, epoch |-> r.epoch, saved |-> None]
    /\ instance' = [instance EXCEPT ![i].raise = 0]
    /\ UNCHANGED <<place, set, move, last, lost>>

(* OffsetSaver.flushPlaces: without a condition. *)
Flush(i) ==
    /\ instance[i].pc = "on" /\ instance[i].at > instance[i].start
    /\ place' = [next |-> instance[i].at, epoch |-> instance[i].epoch, to |-> instance[i].to]
    /\ UNCHANGED <<row, set, move, instance, last, lost>>

Stop(i) ==
    /\ instance[i].pc \in {"on", "handled"}
    /\ instance' = [instance EXCEPT ![i] = Off]
    /\ UNCHANGED <<row, place, set, move, last, lost>>

------------------------------------------------------------------------------
(* Setting the offset: ByHand. First the place, then what was set, then the   *)
(* row if it is of an earlier epoch; that request can come again at any time. *)

MovePlace ==
    /\ move.pc = "idle"
    /\ \E to \in 1 .. Events :
        /\ move' = [pc |-> "placed", to |-> to]
        /\ place' = [next |-> to, epoch |-> 1, to |-> to]
    /\ UNCHANGED <<row, set, instance, last, lost>>

(* From now on, what was processed in the epoch before does not count. *)
MoveSet ==
    /\ move.pc = "placed" /\ move' = [move EXCEPT !.pc = "set"]
    /\ set' = [epoch |-> 1, to |-> move.to]
    /\ last' = move.to - 1
    /\ UNCHANGED <<row, place, instance, lost>>

FindRow ==
    /\ move.pc = "set" /\ move' = [move EXCEPT !.pc = IF row.seq >= move.to THEN "found" ELSE "done"]
    /\ UNCHANGED <<row, place, set, instance, last, lost>>

TakeBack ==
    /\ move.pc \in {"found", "taken back"} /\ move' = [move EXCEPT !.pc = "taken back"]
    /\ row' = IF Max({row.epoch, row.saved}) < 1 THEN [seq |-> 0, epoch |-> 1, saved |-> None] ELSE row
    /\ UNCHANGED <<place, set, instance, last, lost>>

Next ==
    \/ MovePlace \/ MoveSet \/ FindRow \/ TakeBack
    \/ \E i \in Instances : \/ ReadPlace(i) \/ ReadSet(i) \/ Load(i) \/ Handle(i) \/ Save(i) \/ Raise(i)
                            \/ Flush(i) \/ Stop(i)

Spec == Init /\ [][Next]_vars

InOrder == lost = "nothing"

(* Whoever starts now misses nothing, whatever was saved last: as soon as it is set, and when all is done. *)
SafeStart == \A n \in 1 .. Events : n < Found(place).next \/ n <= Counted(set.epoch, set.to) => n <= last \/ n \in Dropped
NothingSkipped == move.pc # "placed" => SafeStart
NothingSkippedAfterwards == move.pc \in {"done", "taken back"} => SafeStart

Alike == Permutations(Instances)
==============================================================================
