package io.varve.store.internal.client;

import com.typesafe.config.Config;
import io.varve.store.internal.settings.Secret;
import io.varve.store.internal.settings.SettingsReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.regions.Region;

/** All that distinguishes one SDK client from another; equal settings share a client. */
public record ClientSettings(
        Optional<Region> region,
        Optional<URI> endpoint,
        Credentials credentials,
        TransportSettings transport,
        Optional<Integer> compressionThreshold,
        Optional<String> userAgent) {

    /** Where the shared client's settings stand. */
    public static final String PATH = "pekko.persistence.dynamodb.client";

    private static final Pattern AWS_HOST = Pattern.compile(
            "(?:.*\\.)?dynamodb(?:-fips)?\\.([a-z0-9-]+)\\.(?:.*\\.)?(?:amazonaws\\.com(?:\\.cn)?|api\\.aws)");

    /** Reads a section of the shape of {@value #PATH}, which stands at {@code path}. */
    public static ClientSettings from(Config section, String path) {
        SettingsReader reader = new SettingsReader(section, path).alsoKnown(GatewaySettings.KEYS);
        SettingsReader local = reader.section("local");
        boolean localEnabled = local.flag("enabled");
        String localHost = local.nonEmpty("host");
        int localPort = local.integer("port", 1, 65535);
        local.rejectUnknown();
        Optional<URI> endpoint =
                reader.optional("endpoint").map(e -> reader.parsed("endpoint", ClientSettings::endpoint));
        Optional<Region> region = reader.optional("region")
                .map(r -> reader.parsed("region", text -> region(text, endpoint.isPresent())))
                .or(() -> endpoint.flatMap(ClientSettings::regionOf));
        Credentials credentials = Credentials.from(reader.section("credentials"));
        TransportSettings transport = TransportSettings.from(reader.section("http"), reader.pathOf("http"));
        SettingsReader compression = reader.section("compression");
        boolean compress = compression.flag("enabled");
        int threshold = Math.toIntExact(Math.min(compression.bytes("threshold"), 10_485_760));
        compression.rejectUnknown();
        Optional<String> userAgent = reader.optional("user-agent");
        reader.rejectUnknown();
        if (localEnabled) {
            return local(localHost, localPort, transport);
        }
        return new ClientSettings(
                region,
                endpoint,
                credentials,
                transport,
                compress ? Optional.of(threshold) : Optional.empty(),
                userAgent);
    }

    /** The same client with the user's own credentials. */
    public ClientSettings withCredentials(Credentials own) {
        return new ClientSettings(region, endpoint, own, transport, compressionThreshold, userAgent);
    }

    private static ClientSettings local(String host, int port, TransportSettings transport) {
        return new ClientSettings(
                Optional.of(Region.US_EAST_1),
                Optional.of(URI.create("http://" + host + ":" + port)),
                new Credentials.Fixed("local", new Secret("local"), Optional.empty()),
                transport,
                Optional.empty(),
                Optional.empty());
    }

    private static URI endpoint(String text) {
        String example = "write it with its scheme, such as https://dynamodb.eu-west-1.amazonaws.com";
        if (text.contains("@")) { // before anything prints it
            throw new IllegalArgumentException(
                    "has a user or a password before an @, which DynamoDB does not take; leave them out");
        }
        try {
            URI uri = new URI(text);
            if (uri.getHost() == null || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                throw new IllegalArgumentException("'" + text + "' is not an http or https address; " + example);
            }
            return uri;
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("'" + text + "' is not an address; " + example, e);
        }
    }

    private static Region region(String text, boolean endpointIsSet) {
        Region region = Region.of(text);
        if (!endpointIsSet && !Region.regions().contains(region)) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a region that this AWS SDK knows (such as eu-west-1);"
                            + " for a region newer than the SDK set the endpoint as well");
        }
        return region;
    }

    private static Optional<Region> regionOf(URI endpoint) {
        Matcher aws = AWS_HOST.matcher(endpoint.getHost());
        return aws.matches() ? Optional.of(Region.of(aws.group(1))) : Optional.empty();
    }
}
