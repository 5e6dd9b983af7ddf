package io.varve.store.internal.entity;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A listing of entities under way. */
public interface Listing {

    /**
     * The next page of persistence ids, in the listing's own order; empty at the end. A page may have no ids although more
     * follow: a call sends one request, or one for each segment of a scan. Not to be called before the last call has completed;
     * after a failure, the call can be repeated.
     */
    CompletionStage<Optional<List<String>>> next();
}
