package io.varve.docs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.varve.testkit.DynamoDBRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A policy as AWS would judge requests by it. It only allows; names of resources may have wildcards, actions may not. */
record IamPolicy(List<Grant> grants) {
    private static final String RESOURCES = "arn:aws:dynamodb:eu-west-1:123456789012:";
    private static final Map<String, String> ACTIONS_OF_TRANSACTIONS = Map.of(
            "Put", "PutItem",
            "Update", "UpdateItem",
            "Delete", "DeleteItem",
            "Get", "GetItem",
            "ConditionCheck", "ConditionCheckItem");

    /** An action on a resource, such as {@code table/orders} or {@code table/orders/index/by-time}. */
    record Grant(String action, String resource) {
        boolean covers(Grant needed) {
            return action.equals(needed.action)
                    && needed.resource.matches(Pattern.quote(resource).replace("*", "\\E.*\\Q"));
        }
    }

    /** Reads the policy under a heading of a page, with other tables than those that are named there. */
    static IamPolicy of(String page, String heading, Map<String, String> tables) {
        List<String> found = Docs.matches("(?ms)^### " + Pattern.quote(heading) + "$.*?^```json\\n(.*?)^```", page);
        if (found.isEmpty()) {
            throw new AssertionError("there is no policy under '" + heading + "'");
        }
        JsonNode policy = json(found.get(0));
        if (!policy.path("Version").asText().equals("2012-10-17")) {
            throw new AssertionError("not a version of policies: " + policy);
        }
        List<Grant> grants = new ArrayList<>();
        for (JsonNode statement : policy.path("Statement")) {
            if (!statement.path("Effect").asText().equals("Allow")) {
                throw new AssertionError("does not allow: " + statement);
            }
            for (JsonNode action : statement.path("Action")) {
                for (JsonNode resource : statement.path("Resource")) {
                    grants.add(new Grant(
                            without("dynamodb:", action.asText()),
                            renamed(without(RESOURCES, resource.asText()), tables)));
                }
            }
        }
        return new IamPolicy(List.copyOf(grants));
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("not JSON: " + text, e);
        }
    }

    private static String without(String prefix, String text) {
        if (!text.startsWith(prefix)) {
            throw new AssertionError(text + " does not begin with " + prefix);
        }
        return text.substring(prefix.length());
    }

    private static String renamed(String resource, Map<String, String> tables) {
        String[] parts = resource.split("/", 3);
        parts[1] = tables.getOrDefault(parts[1], parts[1]);
        return String.join("/", parts);
    }

    /** This one together with another. */
    IamPolicy and(IamPolicy other) {
        return new IamPolicy(
                Stream.concat(grants.stream(), other.grants.stream()).toList());
    }

    boolean allows(DynamoDBRequest request) {
        return needed(request).stream().allMatch(needed -> grants.stream().anyMatch(grant -> grant.covers(needed)));
    }

    /** What a request needs. Transactions have no action of their own: AWS asks for those of their parts. */
    static List<Grant> needed(DynamoDBRequest request) {
        if (request.operation().startsWith("Transact")) {
            return StreamSupport.stream(request.body().path("TransactItems").spliterator(), false)
                    .flatMap(part -> part.properties().stream())
                    .map(part -> new Grant(
                            ACTIONS_OF_TRANSACTIONS.getOrDefault(part.getKey(), part.getKey()),
                            table(part.getValue().path("TableName").asText())))
                    .distinct()
                    .toList();
        }
        String index = request.index().map(name -> "/index/" + name).orElse("");
        return request.tables().stream()
                .map(name -> new Grant(request.operation(), table(name) + index))
                .toList();
    }

    private static String table(String name) {
        return "table/" + name;
    }
}
