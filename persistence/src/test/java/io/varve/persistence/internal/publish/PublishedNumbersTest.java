package io.varve.persistence.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PublishedNumbersTest {
    private final PublishedNumbers numbers = new PublishedNumbers();

    private boolean isNext(long publisher, long number) {
        return numbers.isNext(new PublishedNumber(publisher, number));
    }

    @Test
    void firstNumberOfAPublisher_isNext_whateverItIs() {
        assertThat(isNext(1, 17)).isTrue();
        assertThat(isNext(2, 1)).isTrue();
    }

    @Test
    void numberAfterTheLastOneOfItsPublisher_isNext_andNoOther() {
        isNext(1, 17);
        isNext(2, 5);
        assertThat(isNext(1, 18)).isTrue();
        assertThat(isNext(1, 20)).as("19 is missing").isFalse();
        assertThat(isNext(1, 21)).as("it is noticed once").isTrue();
        assertThat(isNext(2, 6)).isTrue();
    }

    @Test
    void numberThatWasHeardBefore_isNoGap_andChangesNothing() {
        isNext(1, 17);
        isNext(1, 18);
        assertThat(isNext(1, 17)).isTrue();
        assertThat(isNext(1, 19)).isTrue();
    }

    @Test
    void morePublishersThanAreRemembered_theOldestBeginAnew() {
        for (int publisher = 0; publisher <= 10_000; publisher++) {
            isNext(publisher, 1);
        }
        assertThat(isNext(1, 5)).as("still known").isFalse();
        assertThat(isNext(0, 5)).as("forgotten").isTrue();
    }
}
