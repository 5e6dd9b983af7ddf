package io.varve.example.shoppingcart.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import org.apache.pekko.http.javadsl.marshallers.jackson.Jackson;
import org.apache.pekko.http.javadsl.marshalling.Marshaller;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.RequestEntity;
import org.apache.pekko.http.javadsl.unmarshalling.Unmarshaller;
import org.jspecify.annotations.Nullable;

/** How requests are read and answers written; times are ISO-8601 texts. */
final class Json {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .addModules(new JavaTimeModule(), new Jdk8Module())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .build();

    private Json() {}

    static <T> Marshaller<T, RequestEntity> writer() {
        return Jackson.marshaller(MAPPER);
    }

    static <T> Unmarshaller<HttpEntity, T> reader(Class<T> type) {
        return Jackson.unmarshaller(MAPPER, type).thenApply(Json::notNull);
    }

    /** What Jackson makes of the body {@code null}. */
    private static <T> T notNull(@Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("null is nothing that could be done here");
        }
        return value;
    }

    static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("Cannot be written as JSON: " + value.getClass(), e);
        }
    }
}
