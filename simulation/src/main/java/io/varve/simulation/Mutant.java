package io.varve.simulation;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fault that is put in, to see whether the simulation finds it.
 *
 * @param name a name for it
 * @param module the module with the source file
 * @param type the class that is changed
 * @param before the text that is replaced, which the file must have exactly once, with white space of any kind
 * @param after what stands there instead
 * @param breaks what it breaks
 * @param within after how many worlds it is found at the latest
 * @param choice what the worlds that look for it have, so that not many are needed
 */
record Mutant(
        String name,
        String module,
        String type,
        String before,
        String after,
        String breaks,
        int within,
        Choice choice) {

    /** One that is looked for in worlds of all kinds. */
    Mutant(String name, String module, String type, String before, String after, String breaks, int within) {
        this(name, module, type, before, after, breaks, within, Choice.NONE);
    }

    /** The same, looked for in worlds where these features happen very often. */
    Mutant with(Feature... features) {
        return chosen(new Choice(Set.of(features), choice.without()));
    }

    /** The same, looked for in worlds where these features do not happen. */
    Mutant without(Feature... features) {
        return chosen(new Choice(choice.with(), Set.of(features)));
    }

    /** The same, looked for in other worlds. */
    Mutant chosen(Choice other) {
        return new Mutant(name, module, type, before, after, breaks, within, other);
    }

    String file() {
        return module + "/src/main/java/" + type.replace('.', '/') + ".java";
    }

    /** The source with the fault. */
    String in(String source) {
        Matcher found = pattern().matcher(source);
        if (!found.find() || pattern().matcher(source).results().count() > 1) {
            throw new IllegalStateException(
                    "The mutant '" + name + "' is out of date: " + file() + " must have the text '" + before
                            + "' exactly once. Mend the mutant, it shows that the simulation finds this fault.");
        }
        return source.substring(0, found.start()) + after + source.substring(found.end());
    }

    /** White space is as the formatter has it. */
    private Pattern pattern() {
        return Pattern.compile(Arrays.stream(before.strip().split("\\s+", -1))
                .map(Pattern::quote)
                .collect(joining("\\s+")));
    }
}
