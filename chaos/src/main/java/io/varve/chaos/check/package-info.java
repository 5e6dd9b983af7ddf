/**
 * Compares what is stored with what the clients were told. It shares no code with Varve and none with the nodes: {@code TableReader}
 * reads the tables with the plain SDK, as docs/design/storage.md describes them, {@code OperationLog} what the clients have written down.
 *
 * <p>Events that were deleted are proven by the snapshot: it holds a line for each event, and each stored event names a digest of all
 * lines before it. An archive that reads along would have to be faster than the deletes; this one cannot be too late.
 */
@NullMarked
package io.varve.chaos.check;

import org.jspecify.annotations.NullMarked;
