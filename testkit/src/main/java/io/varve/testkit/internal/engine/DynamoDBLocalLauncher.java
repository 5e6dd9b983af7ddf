package io.varve.testkit.internal.engine;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;

/** Main class of the child process: runs DynamoDB Local on a free port of the loopback interface until standard input ends, that is until the parent is gone. */
public final class DynamoDBLocalLauncher {

    private static final String SERVER_RUNNER = "software.amazon.dynamodb.services.local.main.ServerRunner";
    private static final String FILE = "shared-local-instance.db";

    private DynamoDBLocalLauncher() {}

    /** Takes the arguments of DynamoDB Local. */
    public static void main(String[] arguments) throws Exception {
        PrintStream output = System.out;
        try {
            output.println(DynamoDBEngine.LOCAL.portPrefix() + start(arguments));
        } catch (Exception e) {
            e.printStackTrace(output);
            Runtime.getRuntime().halt(1);
        }
        while (System.in.read() >= 0) {
            // nothing is ever sent: only the end matters
        }
        Runtime.getRuntime().halt(0);
    }

    /** Starts it on a free port; whatever it is asked for, DynamoDB Local itself would listen on all addresses. */
    private static int start(String[] arguments) throws Exception {
        Object server = Class.forName(SERVER_RUNNER)
                .getMethod("createServerFromCommandLineArgs", String[].class)
                .invoke(null, (Object) arguments);
        Object connector = connector(server);
        connector.getClass().getMethod("setHost", String.class).invoke(connector, "127.0.0.1");
        connector.getClass().getMethod("setPort", int.class).invoke(connector, 0);
        server.getClass().getMethod("start").invoke(server);
        int port = (int) connector.getClass().getMethod("getLocalPort").invoke(connector);
        logWritesAhead(arguments, port);
        return port;
    }

    /** The part of Jetty that listens. */
    private static Object connector(Object server) throws ReflectiveOperationException {
        Field jetty = server.getClass().getDeclaredField("server");
        jetty.setAccessible(true);
        Object[] connectors =
                (Object[]) jetty.getType().getMethod("getConnectors").invoke(jetty.get(server));
        if (connectors.length != 1) {
            throw new IllegalStateException("DynamoDB Local listens in " + connectors.length + " places, not in one");
        }
        return connectors[0];
    }

    /** In a folder, each written item then waits for the disk once instead of several times; nothing is less durable. */
    private static void logWritesAhead(String[] arguments, int port) throws Exception {
        int folder = List.of(arguments).indexOf("-dbPath") + 1;
        if (folder == 0) {
            return;
        }
        openFile(port);
        Class<?> type = Class.forName("com.almworks.sqlite4java.SQLiteConnection");
        Object database = type.getConstructor(File.class).newInstance(new File(arguments[folder], FILE));
        type.getMethod("open", boolean.class).invoke(database, false);
        type.getMethod("exec", String.class).invoke(database, "PRAGMA journal_mode = WAL");
        type.getMethod("dispose").invoke(database);
    }

    /** The first request makes the server open its file, or create it. */
    private static void openFile(int port) throws IOException, InterruptedException {
        HttpRequest listTables = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port))
                .header("Content-Type", "application/x-amz-json-1.0")
                .header("X-Amz-Target", "DynamoDB_20120810.ListTables")
                .header(
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request,"
                                + " SignedHeaders=host, Signature=none")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(listTables, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("ListTables was answered with " + response.statusCode() + ": " + response.body());
        }
    }
}
