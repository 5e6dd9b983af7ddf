package io.varve.architecture;

import static java.util.Objects.requireNonNull;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which package uses which, and how high above the lowest ones each lies. */
final class Packages {
    private final SortedMap<String, SortedMap<String, String>> uses = new TreeMap<>();
    private final Map<String, Integer> heights = new HashMap<>();

    Packages(JavaClasses classes) {
        Set<String> own = new TreeSet<>();
        classes.forEach(type -> own.add(type.getPackageName()));
        own.forEach(name -> uses.put(name, new TreeMap<>()));
        for (JavaClass type : classes) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String target =
                        dependency.getTargetClass().getBaseComponentType().getPackageName();
                if (own.contains(target) && !target.equals(type.getPackageName())) {
                    usesOf(type.getPackageName()).putIfAbsent(target, dependency.getDescription());
                }
            }
        }
    }

    Set<String> all() {
        return uses.keySet();
    }

    Set<String> usedBy(String name) {
        return usesOf(name).keySet();
    }

    /** What a package uses, each with the class that does. */
    private SortedMap<String, String> usesOf(String name) {
        return requireNonNull(uses.get(name), name);
    }

    /** 0 for a package that uses no other; fails where packages use each other in a circle, and says by which classes. */
    int height(String name) {
        return height(name, new ArrayList<>());
    }

    private int height(String name, List<String> path) {
        Integer known = heights.get(name);
        if (known != null) {
            return known;
        }
        if (path.contains(name)) {
            throw new AssertionError(
                    "These packages use each other: " + cycle(path.subList(path.indexOf(name), path.size())));
        }
        path.add(name);
        int height = 0;
        for (String used : usedBy(name)) {
            height = Math.max(height, height(used, path) + 1);
        }
        path.remove(path.size() - 1);
        heights.put(name, height);
        return height;
    }

    private String cycle(List<String> members) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < members.size(); i++) {
            String next = members.get((i + 1) % members.size());
            text.append("\n  ")
                    .append(members.get(i))
                    .append(" → ")
                    .append(next)
                    .append(": ")
                    .append(usesOf(members.get(i)).get(next));
        }
        return text.toString();
    }
}
