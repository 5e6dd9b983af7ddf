/** What requests cost by AWS's rules, compared with what the server says. */
@NullMarked
package io.varve.testkit.internal.comparison;

import org.jspecify.annotations.NullMarked;
