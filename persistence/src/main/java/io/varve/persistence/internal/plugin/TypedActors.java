package io.varve.persistence.internal.plugin;

/** Whether the module of typed actors, which publishing needs and a classic application may not have, is there. */
public final class TypedActors {
    private static final boolean PRESENT = isPresent("org.apache.pekko.actor.typed.ActorSystem");

    private TypedActors() {}

    /** Whether it can be used. Code that uses it must be in classes that are not touched before this was asked. */
    public static boolean arePresent() {
        return PRESENT;
    }

    private static boolean isPresent(String name) {
        try {
            Class.forName(name, false, TypedActors.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
