package io.varve.store.http;

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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection, which carries one exchange at a time. Its state belongs to the thread of its channel.
 *
 * <p>An answer counts as whole when all that arrived with it has been read: bytes after it belong to no request, and close the
 * connection before another one could take them for its own.
 */
final class Connection extends ChannelInboundHandlerAdapter {
    private final Connections pool;
    private final Channel channel;
    private final HttpSettings settings;
    private final long opened = System.nanoTime();
    private long lastUse = opened;
    private @Nullable Exchange exchange;
    private @Nullable Answer answer;
    private boolean sent;
    private boolean whole;
    private boolean closing;
    private @Nullable Throwable reason;

    Connection(Connections pool, Channel channel, HttpSettings settings) {
        this.pool = pool;
        this.channel = channel;
        this.settings = settings;
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
        if (closing || !channel.isActive() || isTooOld()) {
            closeBecause(null);
            pool.submitAgain(next);
            return;
        }
        if (next.isEnded()) {
            pool.release(this);
            return;
        }
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
        if (!closing && sent && complete.keepsConnection()) {
            pool.release(this);
        } else {
            closeBecause(null);
        }
        ended.answered(complete);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
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
            channel.eventLoop().schedule(this::watch, Math.min(left, other.toNanos()), TimeUnit.NANOSECONDS);
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
        Exchange cutOff = exchange;
        exchange = null;
        if (cutOff != null) {
            cutOff.fail(
                    reason instanceof IOException
                            ? reason
                            : new IOException(
                                    "The connection to " + pool.target() + " was closed before the answer was complete",
                                    reason));
        }
        pool.closed(this);
    }
}
