package io.varve.testkit.internal.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.capacity.CapacityUnits;
import io.varve.testkit.internal.capacity.ReadMeter;
import io.varve.testkit.internal.json.LenientJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What the backend itself says that a request has consumed. */
public final class CapacityReport {
    private static final String TOTAL = "CapacityUnits";

    private CapacityReport() {}

    /** Asks for it with the request, whoever sent that, and tells it if the request succeeds. */
    public static void ask(Exchange exchange, Consumer<CapacityUnits> told) {
        if (exchange.request().tables().isEmpty()) {
            return;
        }
        boolean reads = ReadMeter.reads(exchange.request().operation());
        Map<String, Object> body = new LinkedHashMap<>(LenientJson.entries(LenientJson.parse(exchange.body())));
        body.put("ReturnConsumedCapacity", "INDEXES");
        exchange.replaceBody(LenientJson.write(body));
        exchange.changeAnswer(answer -> {
            JsonNode report = answer.json().path("ConsumedCapacity");
            if (!report.isMissingNode()) {
                told.accept(units(report, reads));
            }
            return answer;
        });
    }

    private static CapacityUnits units(JsonNode report, boolean reads) {
        CapacityUnits sum = CapacityUnits.NONE;
        for (JsonNode table : report.isArray() ? LenientJson.elements(report) : List.of(report)) {
            sum = sum.plus(
                    ofTable(table, reads || table.path("ReadCapacityUnits").doubleValue() > 0));
        }
        return sum;
    }

    private static CapacityUnits ofTable(JsonNode table, boolean reads) {
        double all = table.path(TOTAL).doubleValue();
        double own = table.path("Table").path(TOTAL).doubleValue();
        return reads ? new CapacityUnits(0, 0, all) : new CapacityUnits(own, all - own, 0);
    }
}
