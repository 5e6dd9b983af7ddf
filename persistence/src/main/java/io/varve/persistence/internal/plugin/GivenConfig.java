package io.varve.persistence.internal.plugin;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The configuration that {@code readJournalFor} was called with.
 *
 * <p>Pekko merges it with the actor system's and hands a plugin no more of it than the plugin's own section, although that section
 * names others: the journal's and the client's. Pekko keeps what was given in the plugin's {@code ExtensionId}, and there it is
 * looked up, by types and not by names. A Pekko that keeps it elsewhere is one whose read journals find the sections of the actor
 * system only.
 */
public final class GivenConfig {
    private static final Logger LOG = LoggerFactory.getLogger(GivenConfig.class);

    private GivenConfig() {}

    /** What was given for the read journal at this path, merged with the actor system's. */
    public static Config merged(ExtendedActorSystem system, String path) {
        Config ofTheSystem = system.settings().config();
        try {
            return given(PersistenceQuery.get(system), path).withFallback(ofTheSystem);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug(
                    "What {} was configured with at run time is not to be found; it has the system's sections.",
                    path,
                    e);
            return ofTheSystem;
        }
    }

    private static Config given(PersistenceQuery query, String path) throws ReflectiveOperationException {
        AtomicReference<?> plugins = value(query, query.getClass().getSuperclass(), AtomicReference.class);
        @Nullable
        Object plugin = CollectionConverters.asJava((Map<?, ?>) plugins.get()).get(path);
        return plugin == null ? ConfigFactory.empty() : value(plugin, plugin.getClass(), Config.class);
    }

    private static <T> T value(Object object, Class<?> declaring, Class<T> type) throws ReflectiveOperationException {
        for (Field field : declaring.getDeclaredFields()) {
            if (field.getType() == type) {
                field.setAccessible(true);
                return type.cast(field.get(object));
            }
        }
        throw new NoSuchFieldException(declaring.getName() + " has no " + type.getName());
    }
}
