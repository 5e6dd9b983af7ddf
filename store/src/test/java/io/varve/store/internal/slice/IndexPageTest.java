package io.varve.store.internal.slice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

class IndexPageTest {
    private static final long ALL = Long.MAX_VALUE;
    private static final IndexPage.Entry A = entry("a", 5);
    private static final IndexPage.Entry B = entry("b", 7);
    private static final IndexPage.Entry C = entry("c", 7);
    private static final IndexPage.Entry D = entry("d", 9);
    private static final IndexPage PAGE = IndexPage.complete(IndexCursor.at(3), List.of(A, B, C, D));

    private static IndexPage.Entry entry(String key, long timestamp) {
        return new IndexPage.Entry(timestamp, Map.of("key", AttributeValue.fromS(key)), Optional.empty());
    }

    private static Optional<List<IndexPage.Entry>> entries(IndexPage page, IndexCursor from, long until) {
        return page.as(from, until).map(IndexPage::entries);
    }

    @Test
    void fromACursorWithinThePage_isWhatIsAfterIt() {
        assertThat(entries(PAGE, IndexCursor.at(3), ALL)).contains(List.of(A, B, C, D));
        assertThat(entries(PAGE, IndexCursor.at(5), ALL)).contains(List.of(A, B, C, D));
        assertThat(entries(PAGE, IndexCursor.at(6), ALL)).contains(List.of(B, C, D));
        assertThat(entries(PAGE, B.cursor(), ALL)).contains(List.of(C, D));
        assertThat(entries(PAGE, C.cursor(), ALL)).contains(List.of(D));
        assertThat(entries(PAGE, D.cursor(), ALL)).contains(List.of());
        assertThat(entries(PAGE, IndexCursor.at(10), ALL)).contains(List.of());
    }

    @Test
    void fromAnEntryThatIsGone_isWhatIsLater_unlessOthersHaveItsTime() {
        assertThat(entries(PAGE, entry("x", 6).cursor(), ALL)).contains(List.of(B, C, D));
        assertThat(entries(PAGE, entry("x", 11).cursor(), ALL)).contains(List.of());
        assertThat(entries(PAGE, entry("x", 7).cursor(), ALL)).isEmpty();
        assertThat(entries(PAGE, entry("x", 3).cursor(), ALL)).isEmpty();
    }

    @Test
    void fromBeforeThePage_isNotKnown() {
        assertThat(entries(PAGE, IndexCursor.at(2), ALL)).isEmpty();
        IndexPage after = IndexPage.complete(A.cursor(), List.of(B));
        assertThat(entries(after, IndexCursor.at(5), ALL)).isEmpty();
        assertThat(entries(after, A.cursor(), ALL)).contains(List.of(B));
    }

    @Test
    void upToAnEarlierTime_isComplete_andEndsThere() {
        IndexPage part = PAGE.as(A.cursor(), 7).orElseThrow();
        assertThat(part).isEqualTo(new IndexPage(A.cursor(), List.of(B, C), C.cursor(), false));
        assertThat(PAGE.as(D.cursor(), 7)).as("begins after its end").isEmpty();
    }

    @Test
    void pageThatIsNotTheLast_isOnlyForThoseWhoBeginWhereItDoes_orEndWithinIt() {
        IndexPage full = new IndexPage(IndexCursor.at(3), List.of(A, B, C), C.cursor(), true);
        assertThat(full.as(IndexCursor.at(3), ALL)).contains(full);
        assertThat(full.as(A.cursor(), ALL)).isEmpty();
        assertThat(full.as(IndexCursor.at(10), ALL)).isEmpty();
        assertThat(entries(full, IndexCursor.at(4), 6)).contains(List.of(A));
    }
}
