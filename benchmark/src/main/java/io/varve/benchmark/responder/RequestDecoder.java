package io.varve.benchmark.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Reads requests just far enough to know their operation and their end, and answers them. */
final class RequestDecoder extends ByteToMessageDecoder {
    private static final String END_OF_HEAD = "\r\n\r\n";
    private static final ByteBuf END =
            Unpooled.unreleasableBuffer(Unpooled.copiedBuffer(END_OF_HEAD, StandardCharsets.US_ASCII));

    private final Answers answers;
    private final Duration latency;

    RequestDecoder(Answers answers, Duration latency) {
        this.answers = answers;
        this.latency = latency;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        int end = ByteBufUtil.indexOf(END, in);
        if (end < 0) {
            return;
        }
        int headLength = end - in.readerIndex();
        String head = in.toString(in.readerIndex(), headLength, StandardCharsets.US_ASCII);
        int bodyLength = Integer.parseInt(header(head, "Content-Length", "0"));
        int total = headLength + END_OF_HEAD.length() + bodyLength;
        if (in.readableBytes() < total) {
            return;
        }
        in.skipBytes(total);
        String target = header(head, "X-Amz-Target", "");
        ByteBuf response = answers.to(target.substring(target.indexOf('.') + 1));
        if (latency.isZero()) {
            context.writeAndFlush(response);
        } else {
            context.executor().schedule(() -> context.writeAndFlush(response), latency.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** The value of a header, whatever the case of its name. */
    static String header(String head, String name, String otherwise) {
        int line = head.indexOf("\r\n");
        while (line >= 0) {
            int start = line + 2;
            int next = head.indexOf("\r\n", start);
            int colon = start + name.length();
            if (head.regionMatches(true, start, name, 0, name.length())
                    && colon < head.length()
                    && head.charAt(colon) == ':') {
                return head.substring(colon + 1, next < 0 ? head.length() : next)
                        .strip();
            }
            line = next;
        }
        return otherwise;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close(); // a client that went away, or that speaks another protocol
    }
}
