package io.varve.http;

import software.amazon.awssdk.http.SdkHttpRequest;

/** A server, and whether to speak to it through TLS. */
record Target(boolean tls, String host, int port) {

    static Target of(SdkHttpRequest request) {
        return new Target("https".equalsIgnoreCase(request.protocol()), request.host(), request.port());
    }

    /** The value of the Host header: the port is named unless it is the usual one. */
    String authority() {
        return port == (tls ? 443 : 80) ? host : host + ":" + port;
    }

    @Override
    public String toString() {
        return (tls ? "https://" : "http://") + host + ":" + port;
    }
}
