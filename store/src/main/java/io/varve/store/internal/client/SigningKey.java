package io.varve.store.internal.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The key that AWS derives from a secret for one day, region and service. */
final class SigningKey {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SECONDS_OF_A_DAY = 24 * 60 * 60;

    private final String secret;
    private final long day;
    private final String region;
    private final String service;
    private final String date;
    private final String scope;
    private final SecretKeySpec key;

    SigningKey(String secret, long epochSecond, String region, String service) {
        this.secret = secret;
        this.day = Math.floorDiv(epochSecond, SECONDS_OF_A_DAY);
        this.region = region;
        this.service = service;
        this.date = LocalDate.ofEpochDay(day).format(DateTimeFormatter.BASIC_ISO_DATE);
        this.scope = date + "/" + region + "/" + service + "/aws4_request";
        SecretKeySpec derived = key(("AWS4" + secret).getBytes(UTF_8));
        for (String part : new String[] {date, region, service, "aws4_request"}) {
            derived = key(mac(derived).doFinal(part.getBytes(UTF_8)));
        }
        this.key = derived;
    }

    private static SecretKeySpec key(byte[] bytes) {
        return new SecretKeySpec(bytes, ALGORITHM);
    }

    private static Mac mac(SecretKeySpec key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Each Java platform has " + ALGORITHM, e);
        }
    }

    boolean isFor(String otherSecret, long epochSecond, String otherRegion, String otherService) {
        return day == Math.floorDiv(epochSecond, SECONDS_OF_A_DAY)
                && secret.equals(otherSecret)
                && region.equals(otherRegion)
                && service.equals(otherService);
    }

    /** What the key is good for, as {@code 20150830/us-east-1/iam/aws4_request}. */
    String scope() {
        return scope;
    }

    /** A second of the key's day, as {@code 20150830T123600Z}. */
    String time(long epochSecond) {
        int second = Math.floorMod(epochSecond, SECONDS_OF_A_DAY);
        StringBuilder time = new StringBuilder(16).append(date).append('T');
        twoDigits(time, second / 3600);
        twoDigits(time, second / 60 % 60);
        twoDigits(time, second % 60);
        return time.append('Z').toString();
    }

    private static void twoDigits(StringBuilder text, int number) {
        text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
    }

    byte[] sign(AsciiText text) {
        return text.sign(mac(key));
    }
}
