package io.varve.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every change of what users may touch is a change of a file, and so is seen in review. */
class PublicApiTest {

    static List<Module> published() {
        return Module.published();
    }

    @ParameterizedTest
    @MethodSource("published")
    void publicApi_isThatOfTheFile(Module module) throws IOException {
        String text = new PublicApi(module).text();
        Path built = Path.of("target", module.folder() + "-api.txt");
        Files.createDirectories(built.getParent());
        Files.writeString(built, text);
        Path file = module.path().resolve("api.txt");
        assertThat(Files.exists(file) ? Files.readString(file) : "")
                .as(
                        "The public API of %s differs from %s/api.txt. If that is wanted: cp architecture/%s %s/api.txt",
                        module.folder(), module.folder(), built, module.folder())
                .isEqualTo(text);
    }

    @ParameterizedTest
    @MethodSource("published")
    void publicSignatures_nameNoInternalType(Module module) {
        assertThat(new PublicApi(module).internalTypes()).isEmpty();
    }
}
