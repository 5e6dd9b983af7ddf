/** Tests on a real DynamoDB Local: the server, a JUnit 5 extension, a fault-injecting proxy and a request recorder. */
@NullMarked
package io.varve.testkit;

import org.jspecify.annotations.NullMarked;
