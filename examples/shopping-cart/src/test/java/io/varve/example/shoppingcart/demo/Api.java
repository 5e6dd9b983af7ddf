package io.varve.example.shoppingcart.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** A client of the service. */
record Api(URI address) {
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Status and body of an answer. */
    record Answer(int status, JsonNode body) {
        String error() {
            return body.path("error").asText();
        }
    }

    Answer get(String path) {
        return send("GET", path, Optional.empty());
    }

    Answer post(String path) {
        return send("POST", path, Optional.empty());
    }

    Answer add(String cart, String item, int quantity) {
        return post("carts/" + cart + "/items", "{\"item\": \"%s\", \"quantity\": %d}".formatted(item, quantity));
    }

    Answer post(String path, String json) {
        return send("POST", path, Optional.of(json));
    }

    Answer send(String method, String path, Optional<String> json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path))
                .timeout(Duration.ofSeconds(70))
                .method(method, json.map(BodyPublishers::ofString).orElse(BodyPublishers.noBody()));
        json.ifPresent(body -> request.header("Content-Type", "application/json"));
        return send(request.build());
    }

    static Answer send(HttpRequest request) {
        try {
            var response = CLIENT.send(request, BodyHandlers.ofString());
            return new Answer(response.statusCode(), MAPPER.readTree(response.body()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** An answer that is not JSON. */
    String text(String path) throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(address.resolve(path)).build(), BodyHandlers.ofString())
                .body();
    }

    /** The headers of an answer. */
    HttpHeaders headers(String path) throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(address.resolve(path)).build(), BodyHandlers.discarding())
                .headers();
    }

    /** The event stream; close it. */
    Stream<String> events() throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(address.resolve("events")).build(), BodyHandlers.ofLines())
                .body();
    }

    /** One projection of the list. */
    JsonNode projection(String name) {
        for (JsonNode projection : get("projections").body()) {
            if (projection.path("name").asText().equals(name)) {
                return projection;
            }
        }
        throw new AssertionError("There is no projection " + name);
    }

    /** How many events wait for all instances of a projection. */
    int waiting(String projection) {
        int waiting = 0;
        for (JsonNode instance : projection(projection).path("instances")) {
            waiting += instance.path("behind").asInt();
        }
        return waiting;
    }
}
