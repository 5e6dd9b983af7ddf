/**
 * Starts the service as a demo on one machine, and ends it.
 *
 * <p>{@link io.varve.example.shoppingcart.demo.Main} reads the command line. {@link io.varve.example.shoppingcart.demo.Demo} starts
 * a DynamoDB Local, unless the configuration says AWS, a first {@link io.varve.example.shoppingcart.demo.Node} in this JVM and
 * further ones in JVMs of their own, and ends them in the right order.
 */
@NullMarked
package io.varve.example.shoppingcart.demo;

import org.jspecify.annotations.NullMarked;
