/**
 * Configuration, read once and checked where it is read.
 *
 * <p>Each settings record has one {@code from(…)} that uses {@link io.varve.store.internal.settings.SettingsReader}: a wrong value, and
 * a key that nobody knows, stops the start with the config path, where the value stands, and the reason.
 */
@NullMarked
package io.varve.store.internal.settings;

import org.jspecify.annotations.NullMarked;
