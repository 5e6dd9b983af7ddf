/** DynamoDB's JSON: read without complaint, compared, and turned into the SDK's attribute values and back. */
@NullMarked
package io.varve.testkit.internal.json;

import org.jspecify.annotations.NullMarked;
