package io.varve.architecture;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.pekko.annotation.InternalApi;

/** What users of a module may touch: what is public, or protected, in packages without {@code internal}. */
final class PublicApi {
    private static final Pattern QUALIFIED = Pattern.compile("[a-z][\\w]*(?:\\.[a-z]\\w*)+\\.(?=[A-Z])");
    private static final Pattern INTERNAL = Pattern.compile("[\\w.]+\\.internal\\.[\\w.$]+");
    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

    private final List<Class<?>> types;
    private final Set<Member> internal;

    PublicApi(Module module) {
        List<JavaClass> open = module.imported().stream()
                .filter(type -> !type.getPackageName().contains(".internal"))
                .filter(type -> isReachable(type.reflect()))
                .toList();
        this.types = open.stream()
                .<Class<?>>map(JavaClass::reflect)
                .sorted(Comparator.comparing(Class::getName))
                .toList();
        // The annotation is in the class files, but not there at run time.
        this.internal = open.stream()
                .flatMap(type -> type.getMembers().stream())
                .filter(member -> member.isAnnotatedWith(InternalApi.class))
                .map(JavaMember::reflect)
                .collect(toSet());
    }

    private static boolean isReachable(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return isOpen(type.getModifiers())
                && !type.isSynthetic()
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && (outer == null || isReachable(outer));
    }

    private static boolean isOpen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private boolean isShown(Member member) {
        return isOpen(member.getModifiers()) && !member.isSynthetic() && !internal.contains(member);
    }

    /** The API as text: a paragraph for each type. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (Class<?> type : types) {
            text.append(text.isEmpty() ? "" : "\n");
            text.append(declaration(type)).append('\n');
            members(type).forEach(member -> text.append("    ").append(member).append('\n'));
        }
        return text.toString();
    }

    /** The internal types that it names. */
    Set<String> internalTypes() {
        Set<String> named = new TreeSet<>();
        for (Class<?> type : types) {
            for (String line : Stream.concat(Stream.of(qualified(type)), qualifiedMembers(type))
                    .toList()) {
                Matcher matcher = INTERNAL.matcher(line);
                while (matcher.find()) {
                    named.add(type.getName() + ": " + matcher.group());
                }
            }
        }
        return named;
    }

    private static String declaration(Class<?> type) {
        return QUALIFIED
                .matcher(qualified(type))
                .replaceAll("")
                .replace('$', '.')
                .replaceFirst(" " + type.getSimpleName(), Matcher.quoteReplacement(" " + type.getCanonicalName()));
    }

    private static String qualified(Class<?> type) {
        String supertypes = Stream.concat(
                        Stream.ofNullable(type.getGenericSuperclass())
                                .filter(parent -> parent != Object.class && parent != Record.class && !type.isEnum()),
                        Arrays.stream(type.getGenericInterfaces()))
                .map(Type::getTypeName)
                .collect(joining(", "));
        String components = type.isRecord()
                ? Arrays.stream(type.getRecordComponents())
                        .map(PublicApi::component)
                        .collect(joining(", ", "(", ")"))
                : "";
        return modifiers(type.getModifiers()
                        & ~Modifier.INTERFACE
                        & ~Modifier.STATIC
                        & ~(type.isInterface() ? Modifier.ABSTRACT : 0))
                + (type.isSealed() ? "sealed " : "")
                + kind(type)
                + " "
                + type.getSimpleName()
                + variables(type.getTypeParameters())
                + components
                + (supertypes.isEmpty() ? "" : " : " + supertypes);
    }

    private static String component(RecordComponent component) {
        return component.getGenericType().getTypeName() + " " + component.getName();
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "@interface";
        }
        if (type.isInterface()) {
            return "interface";
        }
        return type.isRecord() ? "record" : type.isEnum() ? "enum" : "class";
    }

    private List<String> members(Class<?> type) {
        return qualifiedMembers(type)
                .map(line -> QUALIFIED.matcher(line).replaceAll("").replace('$', '.'))
                .toList();
    }

    private Stream<String> qualifiedMembers(Class<?> type) {
        List<String> lines = new ArrayList<>();
        Arrays.stream(type.getDeclaredFields())
                .filter(this::isShown)
                .filter(field -> !field.getName().equals("serialVersionUID"))
                .map(PublicApi::field)
                .sorted()
                .forEach(lines::add);
        Arrays.stream(type.getDeclaredConstructors())
                .filter(this::isShown)
                .filter(constructor -> !isCanonical(type, constructor))
                .map(constructor -> constructor(type, constructor))
                .sorted()
                .forEach(lines::add);
        Arrays.stream(type.getDeclaredMethods())
                .filter(this::isShown)
                .filter(method -> !method.isBridge()
                        && !isOfEveryObject(method)
                        && !isOfEveryEnum(type, method)
                        && !isAccessor(type, method))
                .map(PublicApi::method)
                .sorted(Comparator.comparing(PublicApi::withoutModifiers))
                .forEach(lines::add);
        return lines.stream();
    }

    private static String withoutModifiers(String line) {
        return line.replaceAll("^(?:(?:public|protected|static|final|abstract|default) )*", "");
    }

    private static boolean isOfEveryObject(Method method) {
        return OF_EVERY_OBJECT.contains(method.getName());
    }

    private static boolean isAccessor(Class<?> type, Method method) {
        return type.isRecord()
                && Arrays.stream(type.getRecordComponents())
                        .anyMatch(component -> component.getAccessor().equals(method));
    }

    private static boolean isCanonical(Class<?> type, Constructor<?> constructor) {
        return type.isRecord()
                && Arrays.equals(
                        constructor.getParameterTypes(),
                        Arrays.stream(type.getRecordComponents())
                                .map(RecordComponent::getType)
                                .toArray());
    }

    private static boolean isOfEveryEnum(Class<?> type, Method method) {
        return type.isEnum() && Set.of("values", "valueOf").contains(method.getName());
    }

    private static String field(Field field) {
        return modifiers(field.getModifiers()) + field.getGenericType().getTypeName() + " " + field.getName();
    }

    private static String constructor(Class<?> type, Constructor<?> constructor) {
        return modifiers(constructor.getModifiers()) + type.getSimpleName() + parameters(constructor);
    }

    private static String method(Method method) {
        String variables = variables(method.getTypeParameters());
        return modifiers(method.getModifiers() & Modifier.methodModifiers() & ~Modifier.SYNCHRONIZED)
                + (method.isDefault() ? "default " : "")
                + (variables.isEmpty() ? "" : variables + " ")
                + method.getGenericReturnType().getTypeName()
                + " "
                + method.getName()
                + parameters(method);
    }

    private static String parameters(Executable executable) {
        return Arrays.stream(executable.getParameters())
                .map(PublicApi::parameter)
                .collect(joining(", ", "(", ")"));
    }

    private static String parameter(Parameter parameter) {
        return parameter.getParameterizedType().getTypeName() + " " + parameter.getName();
    }

    private static String variables(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables).map(PublicApi::variable).collect(joining(", ", "<", ">"));
    }

    private static String variable(TypeVariable<?> variable) {
        String bounds = Arrays.stream(variable.getBounds())
                .filter(bound -> bound != Object.class)
                .map(Type::getTypeName)
                .collect(joining(" & "));
        return variable.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
    }

    private static String modifiers(int modifiers) {
        String text = Modifier.toString(modifiers);
        return text.isEmpty() ? "" : text + " ";
    }
}
