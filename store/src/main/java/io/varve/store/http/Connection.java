package io.varve.store.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection, which carries one exchange at a time. Its state belongs to the thread of its channel.
 *
 * <p>An answer counts as whole when all that was read with it has been looked at: another answer after it belongs to no request,
 * and closes the connection before one could take it for its own.
 */
final class Connection extends ChannelInboundHandlerAdapter {
    private final Connections pool;
    private final Channel channel;
    private final HttpSettings settings;
    private final long opened = System.nanoTime();
    private long lastUse = opened;
    private @Nullable Future<?> watch;
    private @Nullable Exchange exchange;
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

    boolean isOpen() {
        return channel.isActive();
    }

    /** Carries an exchange from now on; the connection must be free. */
    void carry(Exchange next) {
        next.isOn(this);
        onItsThread(() -> send(next), next);
    }

    /** Closes the connection if it still carries this exchange. */
    void abort(Exchange given) {
        onItsThread(
                () -> {
                    if (exchange == given) {
                        closeBecause(null);
                    }
                },
                given);
    }

    /** Closes the connection; an exchange under way fails. */
    void close(String why) {
        onItsThread(() -> closeBecause(new IOException(why)), null);
    }

    private void onItsThread(Runnable action, @Nullable Exchange concerned) {
        if (channel.eventLoop().inEventLoop()) {
            action.run();
            return;
        }
        try {
            channel.eventLoop().execute(action);
        } catch (RejectedExecutionException e) {
            if (concerned != null) {
                concerned.fail(new IOException("The DynamoDB client is closed", e));
            }
        }
    }

    private void send(Exchange next) {
        boolean usable = !closing && channel.isActive() && !(used && isTooOld());
        if (!usable) {
            closeBecause(null);
        }
        if (next.isEnded() || !usable) {
            passOn(next, usable);
            return;
        }
        used = true;
        exchange = next;
        sent = false;
        lastUse = System.nanoTime();
        channel.writeAndFlush(Unpooled.wrappedBuffer(next.request())).addListener(written -> {
            if (written.isSuccess()) {
                sent = true;
            } else {
                closeBecause(written.cause());
            }
        });
    }

    /** Nothing of the exchange was sent here, and nothing will be. */
    private void passOn(Exchange next, boolean usable) {
        if (!next.isEnded()) {
            pool.submitAgain(next);
        } else if (usable) {
            pool.release(this);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof HttpObject part) {
                read(part);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void read(HttpObject part) {
        if (part.decoderResult().isFailure()) {
            closeBecause(part.decoderResult().cause());
        } else if (closing) {
            return;
        } else if (exchange == null || whole) {
            closeBecause(new IOException(pool.target() + " sent something that was not asked for"));
        } else {
            if (part instanceof HttpResponse head) {
                if (head.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
                    closeBecause(new IOException(pool.target() + " wants to speak something else than HTTP"));
                    return;
                }
                answer = new Answer(head);
            }
            if (part instanceof HttpContent content && answer != null) {
                answer.append(content.content());
                if (part instanceof LastHttpContent) {
                    whole = !answer.isInformational();
                }
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        lastUse = System.nanoTime();
        if (whole) {
            end();
        }
    }

    private void end() {
        Exchange ended = exchange;
        Answer complete = answer;
        if (ended == null || complete == null) {
            return;
        }
        exchange = null;
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

    /** Looks whether the answer, or the next use, is overdue, and again when it can be at the earliest. */
    private void watch() {
        Duration limit = exchange == null ? settings.idleTimeout() : settings.readTimeout();
        Duration other = exchange == null ? settings.readTimeout() : settings.idleTimeout();
        long left = limit.toNanos() - (System.nanoTime() - lastUse);
        if (left <= 0) {
            closeBecause(new IOException("%s sent nothing for %s s (http.read-timeout)"
                    .formatted(pool.target(), limit.toMillis() / 1e3))); // nobody hears it of an idle one
        } else if (!closing) {
            watch = channel.eventLoop().schedule(this::watch, Math.min(left, other.toNanos()), TimeUnit.NANOSECONDS);
        }
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
        Exchange cutOff = exchange;
        exchange = null;
        answer = null;
        pool.gone(this);
        if (cutOff != null) {
            String what = "The connection to " + pool.target() + " was closed before the answer was complete";
            cutOff.fail(reason instanceof IOException ? reason : new IOException(what, reason));
        }
    }
}
