package io.varve.benchmark.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CostRowsTest {

    @Test
    void documentation_hasTheCostOfEveryOperation() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "design", "performance.md"));
        Stream.of(CostRows.journal(1000), CostRows.snapshots())
                .flatMap(List::stream)
                .forEach(row -> assertThat(page).contains("\n| " + row.operation() + " "));
    }
}
