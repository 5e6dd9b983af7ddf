/** The demo from outside: by HTTP, in a browser, and as processes. */
@NullMarked
package io.varve.example.shoppingcart.demo;

import org.jspecify.annotations.NullMarked;
