package io.varve.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.ProtocolException;
import java.util.List;

/**
 * Netty's decoder, which gets to see the bytes of one answer for each request and no others. So it has no rest of anything when
 * the next request is sent: a byte that belongs to no answer ends the connection instead.
 */
final class AnswerDecoder extends HttpResponseDecoder {
    private static final int LARGEST_HEAD = 64 * 1024;
    private static final byte[] BEGINNING = "HTTP/1.".getBytes(US_ASCII);

    private final Runnable unasked;
    private boolean due;
    private boolean begun;
    private boolean interim;

    /** A decoder that runs {@code unasked} when something arrives though no answer is due. */
    AnswerDecoder(Runnable unasked) {
        super(new HttpDecoderConfig().setMaxHeaderSize(LARGEST_HEAD));
        this.unasked = unasked;
    }

    /** A request is being sent: what arrives from now on is its answer. */
    void expect() {
        due = true;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (!due) {
            in.skipBytes(in.readableBytes());
            unasked.run();
        } else if (begun || begins(in)) {
            int before = out.size();
            super.decode(context, in, out);
            for (int i = before; i < out.size(); i++) {
                note(out.get(i));
            }
        }
    }

    /** Whether enough has arrived to say that it is an answer; Netty would pass over what stands before one. */
    private boolean begins(ByteBuf in) throws ProtocolException {
        int length = Math.min(BEGINNING.length, in.readableBytes());
        for (int i = 0; i < length; i++) {
            if (in.getByte(in.readerIndex() + i) != BEGINNING[i]) {
                in.skipBytes(in.readableBytes());
                throw new ProtocolException("What arrived is not an answer in HTTP/1");
            }
        }
        begun = length == BEGINNING.length;
        return begun;
    }

    private void note(Object part) {
        if (part instanceof HttpResponse head) {
            interim = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        }
        if (part instanceof LastHttpContent) {
            begun = false;
            due = interim;
        }
    }
}
