package dev.pliant.views;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import dev.pliant.model.DatasetName;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Maps records to protobuf messages by one rule:
///
/// | in the record | in the message |
/// |---|---|
/// | component `atMillis` | field `at_millis` |
/// | a number, a flag, a string, an id | a scalar; an id is its string |
/// | a constant `HELD` of `Verdict` | `VERDICT_HELD` |
/// | a record | a message |
/// | a record `AddNodes` of a sealed interface | field `add_nodes` of a message with one `oneof` |
/// | a list | a repeated field |
/// | null | an absent message, or an empty string |
///
/// What does not fit is a defect where it is encoded, and a damaged message where it is decoded.
final class RecordCodec {
  private static final Map<Class<?>, Function<String, Object>> IDS =
      Map.of(
          NodeId.class,
          NodeId::parse,
          WorkerId.class,
          WorkerId::new,
          DatasetName.class,
          DatasetName::new);

  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return Shape.of(type);
        }
      };

  private static final ClassValue<Object[]> CONSTANTS =
      new ClassValue<>() {
        @Override
        protected Object[] computeValue(Class<?> type) {
          return type.getEnumConstants();
        }
      };

  private static final Map<String, String> PREFIXES = new ConcurrentHashMap<>();

  private RecordCodec() {}

  // To messages.

  static void encode(Record from, Message.Builder to) {
    for (Component component : SHAPES.get(from.getClass()).components()) {
      Object value = value(from, component.accessor());
      FieldDescriptor field = field(to.getDescriptorForType(), component.field());
      if (value instanceof List<?> list) {
        list.forEach(one -> to.addRepeatedField(field, encoded(one, field, to)));
      } else if (value != null) {
        to.setField(field, encoded(value, field, to));
      }
    }
  }

  private static @Nullable Object value(Record of, Method accessor) {
    try {
      return accessor.invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(accessor + " cannot be read", e);
    }
  }

  private static Object encoded(Object value, FieldDescriptor field, Message.Builder in) {
    return switch (field.getJavaType()) {
      case INT -> Math.toIntExact(((Number) value).longValue());
      case LONG -> ((Number) value).longValue();
      case DOUBLE, BOOLEAN -> value;
      case STRING -> value.toString();
      case ENUM -> constant(field, (Enum<?>) value);
      case MESSAGE -> message((Record) value, field, in);
      case FLOAT, BYTE_STRING ->
          throw new IllegalArgumentException(field.getFullName() + " has a type without a rule");
    };
  }

  private static EnumValueDescriptor constant(FieldDescriptor field, Enum<?> constant) {
    String name = prefix(field) + constant.name();
    EnumValueDescriptor found = field.getEnumType().findValueByName(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "%s has no %s".formatted(field.getEnumType().getFullName(), name));
    }
    return found;
  }

  private static Message message(Record value, FieldDescriptor field, Message.Builder in) {
    Message.Builder message = in.newBuilderForField(field);
    Descriptor type = field.getMessageType();
    if (type.getOneofs().isEmpty()) {
      encode(value, message);
    } else {
      FieldDescriptor kind = field(type, SHAPES.get(value.getClass()).field());
      Message.Builder inner = message.newBuilderForField(kind);
      encode(value, inner);
      message.setField(kind, inner.build());
    }
    return message.build();
  }

  // From messages.

  static <T extends Record> T decode(MessageOrBuilder from, Class<T> type) {
    Shape shape = SHAPES.get(type);
    Object[] values = new Object[shape.components().size()];
    for (int i = 0; i < values.length; i++) {
      Component component = shape.components().get(i);
      FieldDescriptor field = field(from.getDescriptorForType(), component.field());
      values[i] =
          field.isRepeated()
              ? list(from, field, component.element())
              : field.hasPresence() && !from.hasField(field)
                  ? null
                  : decoded(from.getField(field), field, component.type());
      if (values[i] == null && !component.nullable()) {
        throw new IllegalArgumentException(field.getFullName() + " is missing");
      }
    }
    return make(type, shape.constructor(), values);
  }

  private static <T> T make(Class<T> type, Constructor<?> constructor, @Nullable Object[] values) {
    try {
      return type.cast(constructor.newInstance(values));
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(
          "no %s: %s".formatted(type.getSimpleName(), e.getCause()), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " cannot be made", e);
    }
  }

  private static List<Object> list(MessageOrBuilder from, FieldDescriptor field, Class<?> of) {
    List<Object> list = new ArrayList<>();
    for (int i = 0; i < from.getRepeatedFieldCount(field); i++) {
      Object one = decoded(from.getRepeatedField(field, i), field, of);
      if (one == null) {
        throw new IllegalArgumentException(field.getFullName() + " has an empty element");
      }
      list.add(one);
    }
    return list;
  }

  private static @Nullable Object decoded(Object value, FieldDescriptor field, Class<?> type) {
    return switch (field.getJavaType()) {
      case INT, LONG, DOUBLE, BOOLEAN -> value;
      case STRING -> string((String) value, type);
      case ENUM -> constant(field, (EnumValueDescriptor) value, type);
      case MESSAGE -> message((Message) value, type);
      case FLOAT, BYTE_STRING ->
          throw new IllegalArgumentException(field.getFullName() + " has a type without a rule");
    };
  }

  private static @Nullable Object string(String value, Class<?> type) {
    Function<String, Object> id = IDS.get(type);
    if (id == null) {
      return value;
    }
    try {
      return value.isEmpty() ? null : id.apply(value);
    } catch (PliantException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static Object constant(FieldDescriptor field, EnumValueDescriptor value, Class<?> type) {
    String prefix = prefix(field);
    for (Object constant : CONSTANTS.get(type)) {
      String name = ((Enum<?>) constant).name();
      if (value.getName().length() == prefix.length() + name.length()
          && value.getName().endsWith(name)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(
        "%s %s is not known".formatted(field.getFullName(), value.getName()));
  }

  private static Object message(Message message, Class<?> type) {
    if (!type.isSealed()) {
      return decode(message, type.asSubclass(Record.class));
    }
    for (Class<?> kind : type.getPermittedSubclasses()) {
      FieldDescriptor field = field(message.getDescriptorForType(), SHAPES.get(kind).field());
      if (message.hasField(field)) {
        return decode((Message) message.getField(field), kind.asSubclass(Record.class));
      }
    }
    throw new IllegalArgumentException("a %s of no known kind".formatted(type.getSimpleName()));
  }

  // Names.

  private static FieldDescriptor field(Descriptor message, String name) {
    FieldDescriptor field = message.findFieldByName(name);
    if (field == null) {
      throw new IllegalArgumentException("%s has no %s".formatted(message.getFullName(), name));
    }
    return field;
  }

  private static String prefix(FieldDescriptor field) {
    return PREFIXES.computeIfAbsent(
        field.getEnumType().getName(), name -> snake(name).toUpperCase(Locale.ROOT) + "_");
  }

  /// `atMillis` and `AtMillis` as `at_millis`.
  private static String snake(String name) {
    return name.replaceAll("(?<!^)(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }

  // What is known of a record's class, so that reflection is asked once.

  /// @param field what it is called as one of the kinds of a sealed interface
  private record Shape(String field, List<Component> components, Constructor<?> constructor) {
    static Shape of(Class<?> type) {
      RecordComponent[] components = type.getRecordComponents();
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      try {
        return new Shape(
            snake(type.getSimpleName()),
            Arrays.stream(components).map(Component::of).toList(),
            type.getDeclaredConstructor(types));
      } catch (NoSuchMethodException e) {
        throw new IllegalStateException(type + " is no record", e);
      }
    }
  }

  /// @param element of what it is a list; its own type where it is none
  private record Component(
      String field, Method accessor, Class<?> type, Class<?> element, boolean nullable) {
    static Component of(RecordComponent component) {
      Class<?> element =
          component.getGenericType() instanceof ParameterizedType list
              ? (Class<?>) list.getActualTypeArguments()[0]
              : component.getType();
      return new Component(
          snake(component.getName()),
          component.getAccessor(),
          component.getType(),
          element,
          component.getAnnotatedType().isAnnotationPresent(Nullable.class));
    }
  }
}
