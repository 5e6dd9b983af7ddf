package io.varve.testkit;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Main class of the child process: runs DynamoDB Local on a free port until standard input ends, that is until the parent is gone. */
final class DynamoDBLocalLauncher {

    static final String PORT_PREFIX = "varve-dynamodb-local-port=";
    private static final String SERVER_RUNNER = "software.amazon.dynamodb.services.local.main.ServerRunner";
    private static final int ATTEMPTS = 5;

    private DynamoDBLocalLauncher() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream output = System.out;
        try {
            output.println(PORT_PREFIX + start(arguments));
        } catch (Exception e) {
            e.printStackTrace(output);
            Runtime.getRuntime().halt(1);
        }
        while (System.in.read() >= 0) {
            // nothing is ever sent: only the end matters
        }
        Runtime.getRuntime().halt(0);
    }

    private static int start(String[] arguments) throws Exception {
        for (int attempt = 1; ; attempt++) {
            int port = freePort();
            List<String> all = new ArrayList<>(List.of(arguments));
            all.addAll(List.of("-port", Integer.toString(port)));
            Object server = Class.forName(SERVER_RUNNER)
                    .getMethod("createServerFromCommandLineArgs", String[].class)
                    .invoke(null, (Object) all.toArray(String[]::new));
            try {
                server.getClass().getMethod("start").invoke(server);
                return port;
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof IOException) || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
