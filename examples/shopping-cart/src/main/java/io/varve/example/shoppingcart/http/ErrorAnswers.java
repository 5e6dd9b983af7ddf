package io.varve.example.shoppingcart.http;

import static org.apache.pekko.http.javadsl.server.Directives.complete;

import io.varve.projection.NotParkedException;
import io.varve.projection.ProcessingTimeoutException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.pekko.http.javadsl.model.StatusCode;
import org.apache.pekko.http.javadsl.model.StatusCodes;
import org.apache.pekko.http.javadsl.server.ExceptionHandler;
import org.apache.pekko.http.javadsl.server.MalformedQueryParamRejection;
import org.apache.pekko.http.javadsl.server.MalformedRequestContentRejection;
import org.apache.pekko.http.javadsl.server.MethodRejection;
import org.apache.pekko.http.javadsl.server.RejectionHandler;
import org.apache.pekko.http.javadsl.server.RequestEntityExpectedRejection;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.http.javadsl.server.UnsupportedRequestContentTypeRejection;
import org.apache.pekko.http.javadsl.server.ValidationRejection;
import org.apache.pekko.http.scaladsl.model.IllegalRequestException;
import org.apache.pekko.pattern.StatusReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what goes wrong into answers that say what to do. */
final class ErrorAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorAnswers.class);
    private static final String BODY = "Send JSON such as {\"item\": \"apple\", \"quantity\": 2}";

    private ErrorAnswers() {}

    /** What an error looks like: {@code {"error": "…"}}. */
    record Problem(String error) {}

    /** A request that makes no sense. */
    static final class BadRequestException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadRequestException(String message) {
            super(message);
        }
    }

    /** Something that is not there. */
    static final class NotFoundException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotFoundException(String message) {
            super(message);
        }
    }

    /** A change that somebody else wants. */
    static final class ForbiddenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ForbiddenException(String message) {
            super(message);
        }
    }

    /** A limit that is reached. */
    static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooManyException(String message) {
            super(message);
        }
    }

    static ExceptionHandler exceptions() {
        return ExceptionHandler.newBuilder().matchAny(ErrorAnswers::answer).build();
    }

    private static Route answer(Throwable thrown) {
        if (thrown instanceof CompletionException wrapper && wrapper.getCause() != null) {
            return answer(wrapper.getCause());
        } else if (thrown instanceof BadRequestException) {
            return problem(StatusCodes.BAD_REQUEST, thrown.getMessage());
        } else if (thrown instanceof NotFoundException) {
            return problem(StatusCodes.NOT_FOUND, thrown.getMessage());
        } else if (thrown instanceof ForbiddenException) {
            return problem(StatusCodes.FORBIDDEN, thrown.getMessage());
        } else if (thrown instanceof TooManyException || thrown instanceof ProcessingTimeoutException) {
            return problem(StatusCodes.SERVICE_UNAVAILABLE, thrown.getMessage());
        } else if (thrown instanceof IllegalRequestException illegal) {
            return problem(illegal.status(), illegal.info().summary() + ".");
        } else if (thrown instanceof StatusReply.ErrorMessage || thrown instanceof NotParkedException) {
            return problem(StatusCodes.CONFLICT, thrown.getMessage());
        } else if (thrown instanceof TimeoutException) {
            return problem(
                    StatusCodes.SERVICE_UNAVAILABLE,
                    "No answer in time. A node may be starting or leaving: try again in some seconds.");
        }
        LOG.error("A request failed.", thrown);
        return problem(StatusCodes.INTERNAL_SERVER_ERROR, "This failed; the log of the service says why.");
    }

    static RejectionHandler rejections() {
        return RejectionHandler.newBuilder()
                .handle(
                        MalformedRequestContentRejection.class,
                        bad -> problem(StatusCodes.BAD_REQUEST, BODY + ". " + firstLine(bad.message())))
                .handle(
                        ValidationRejection.class,
                        bad -> problem(StatusCodes.BAD_REQUEST, BODY + ". " + firstLine(bad.message())))
                .handle(RequestEntityExpectedRejection.class, bad -> problem(StatusCodes.BAD_REQUEST, BODY + "."))
                .handle(
                        MalformedQueryParamRejection.class,
                        bad -> problem(
                                StatusCodes.BAD_REQUEST,
                                "The parameter '" + bad.parameterName() + "' is wrong: " + bad.errorMsg()))
                .handle(
                        UnsupportedRequestContentTypeRejection.class,
                        bad -> problem(
                                StatusCodes.UNSUPPORTED_MEDIA_TYPE,
                                BODY + ", with the header 'Content-Type: application/json'."))
                .handleAll(
                        MethodRejection.class,
                        methods -> problem(
                                StatusCodes.METHOD_NOT_ALLOWED,
                                methods.stream()
                                        .map(rejection -> rejection.supported().name())
                                        .distinct()
                                        .collect(Collectors.joining(", ", "Here only these work: ", "."))))
                .handleNotFound(problem(
                        StatusCodes.NOT_FOUND,
                        "There is nothing here. Try /carts, /popular, /projections, /events, or the page at /."))
                .build();
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private static Route problem(StatusCode status, @Nullable String text) {
        return complete(status, new Problem(String.valueOf(text)), Json.writer());
    }
}
