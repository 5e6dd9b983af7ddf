package io.varve.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection, which carries one request at a time. Its state belongs to the thread of its channel.
 *
 * <p>An answer counts as whole when all that was read with it has been looked at. If there is more, its length was wrong or the
 * server has lost count: the request fails and the connection is closed, before the next one could take the rest for its own.
 */
final class Connection extends ChannelInboundHandlerAdapter {
    private final Connections pool;
    private final Channel channel;
    private final HttpSettings settings;
    private final AnswerDecoder decoder = new AnswerDecoder(this::unasked);
    private final long opened = System.nanoTime();
    private long lastUse = opened;
    private long sentAt = opened;
    private @Nullable Future<?> watch;
    private @Nullable OngoingRequest request;
    private @Nullable Answer answer;
    private boolean used;
    private boolean sent;
    private boolean whole;
    private boolean closing;
    private @Nullable Throwable reason;

    Connection(Connections pool, Channel channel, HttpSettings settings) {
        this.pool = pool;
        this.channel = channel;
        this.settings = settings;
    }

    /** What reads for it; the two belong together into the channel's pipeline. */
    AnswerDecoder decoder() {
        return decoder;
    }

    boolean isOpen() {
        return channel.isActive();
    }

    /** Carries a request from now on; the connection must be free. */
    void carry(OngoingRequest next) {
        next.isOn(this);
        if (channel.eventLoop().inEventLoop()) {
            send(next);
        } else {
            later(() -> send(next), next);
        }
    }

    /** Closes the connection if it still carries this request. */
    void abort(OngoingRequest given) {
        later(
                () -> {
                    if (request == given) {
                        closeBecause(null);
                    }
                },
                null);
    }

    /** Closes the connection; a request under way fails. */
    void close(String why) {
        later(() -> closeBecause(new IOException(why)), null);
    }

    private void later(Runnable action, @Nullable OngoingRequest unsent) {
        try {
            channel.eventLoop().execute(action);
        } catch (RejectedExecutionException e) { // the threads are gone, and with them all connections
            if (unsent != null) {
                unsent.fail(new NotSentException(Connections.CLOSED, e));
            }
        }
    }

    private void send(OngoingRequest next) {
        if (closing || !channel.isActive() || (used && isTooOld())) {
            closeBecause(null);
            passOn(next);
            return;
        }
        if (next.isEnded()) {
            passOn(next);
            return;
        }
        used = true;
        request = next;
        sent = false;
        sentAt = System.nanoTime();
        lastUse = sentAt;
        decoder.expect();
        channel.writeAndFlush(Unpooled.wrappedBuffer(next.bytes())).addListener(written -> {
            if (written.isSuccess()) {
                sent = true;
            } else {
                closeBecause(written.cause());
            }
        });
    }

    /** Nothing of the request was sent here. What follows is a task of its own: the stack must not grow with each that fails. */
    private void passOn(OngoingRequest next) {
        later(
                () -> {
                    if (!next.isEnded()) {
                        pool.submitAgain(next);
                    } else if (!closing) {
                        pool.release(this);
                    }
                },
                next);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpObject part && !closing) {
                read(part);
            }
        } catch (IOException e) {
            closeBecause(e);
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void read(HttpObject part) throws IOException {
        if (part.decoderResult().isFailure()) {
            closeBecause(part.decoderResult().cause());
            return;
        }
        if (part instanceof HttpResponse head) {
            answer = Answer.of(head, pool.target(), settings.maxAnswerSize());
        }
        if (part instanceof HttpContent content && answer != null) {
            answer.append(content.content());
            if (part instanceof LastHttpContent) {
                whole = !answer.isInformational();
            }
        }
    }

    /** Then nobody can say that what looked like the answer was one. */
    private void unasked() {
        whole = false;
        closeBecause(new IOException(pool.target() + " sent something that was not asked for"));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        lastUse = System.nanoTime();
        if (whole) {
            end();
        }
    }

    private void end() {
        OngoingRequest ended = request;
        Answer complete = answer;
        if (ended == null || complete == null) {
            return;
        }
        request = null;
        answer = null;
        whole = false;
        try {
            if (!closing && sent && complete.keepsConnection()) {
                pool.release(this);
            } else {
                closeBecause(null);
            }
        } finally {
            ended.answered(complete);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        lastUse = System.nanoTime();
        watch();
    }

    /** Looks whether the answer, or the next use, is overdue, and again when one of them can be at the earliest. */
    private void watch() {
        long now = System.nanoTime();
        long silent = now - lastUse;
        if (request == null && silent >= settings.idleTimeout().toNanos()) {
            closeBecause(null);
        } else if (request != null && silent >= settings.readTimeout().toNanos()) {
            closeBecause(late("sent nothing for ", settings.readTimeout(), "http.read-timeout"));
        } else if (request != null && now - sentAt >= settings.answerTimeout().toNanos()) {
            closeBecause(late("did not complete its answer within ", settings.answerTimeout(), "http.answer-timeout"));
        }
        if (!closing) {
            long idle = settings.idleTimeout().toNanos() - (request == null ? silent : 0);
            long read = settings.readTimeout().toNanos() - (request == null ? 0 : silent);
            long whole = settings.answerTimeout().toNanos() - (request == null ? 0 : now - sentAt);
            watch = channel.eventLoop()
                    .schedule(this::watch, Math.min(idle, Math.min(read, whole)), TimeUnit.NANOSECONDS);
        }
    }

    private IOException late(String what, Duration limit, String setting) {
        return new IOException("%s %s%s s (%s)".formatted(pool.target(), what, limit.toMillis() / 1e3, setting));
    }

    private boolean isTooOld() {
        return settings.timeToLive()
                .filter(limit -> System.nanoTime() - opened > limit.toNanos())
                .isPresent();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        closeBecause(cause);
    }

    private void closeBecause(@Nullable Throwable why) {
        if (!closing) {
            closing = true;
            reason = why;
            channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        closing = true;
        if (whole) {
            end();
        }
        if (watch != null) {
            watch.cancel(false);
        }
        OngoingRequest cutOff = request;
        request = null;
        answer = null;
        pool.gone(this);
        if (cutOff != null) {
            String what = "The connection to " + pool.target() + " was closed before the answer was complete";
            cutOff.fail(reason instanceof IOException ? reason : new IOException(what, reason));
        }
    }
}
