/**
 * Events and payloads to bytes and back, with the serializers of the actor system.
 */
@NullMarked
package io.varve.persistence.internal.serialization;

import org.jspecify.annotations.NullMarked;
