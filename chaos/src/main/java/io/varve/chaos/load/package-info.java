/** The clients: they move money, write down what they ask for and what they are told, and leave alone what projections lag behind of. */
@NullMarked
package io.varve.chaos.load;

import org.jspecify.annotations.NullMarked;
