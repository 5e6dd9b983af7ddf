/**
 * How stored events reach the running queries of the cluster without a request to DynamoDB.
 *
 * <p>All of it may lose messages: queries rely on polling.
 */
@NullMarked
package io.varve.persistence.internal.publish;

import org.jspecify.annotations.NullMarked;
