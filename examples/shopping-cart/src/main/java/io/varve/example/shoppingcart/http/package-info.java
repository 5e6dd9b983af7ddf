/**
 * The service's HTTP API, and the web page that uses it.
 *
 * <p>{@link io.varve.example.shoppingcart.http.HttpApi} joins the routes. All answers but the page and the event stream are JSON;
 * errors say what to do, in {@link io.varve.example.shoppingcart.http.Errors}.
 */
@NullMarked
package io.varve.example.shoppingcart.http;

import org.jspecify.annotations.NullMarked;
