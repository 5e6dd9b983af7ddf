/**
 * What every plugin needs: its client, its settings, and the way from stages to Scala's futures.
 */
@NullMarked
package io.varve.persistence.internal.plugin;

import org.jspecify.annotations.NullMarked;
