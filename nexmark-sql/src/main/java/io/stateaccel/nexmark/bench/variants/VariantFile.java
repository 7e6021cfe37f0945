/*
 * Copyright the flink-state-accel authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.stateaccel.nexmark.bench.variants;

import io.stateaccel.nexmark.bench.common.UserError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.YamlParserUtils;

/**
 * A user's own variant: a file like Flink's {@code conf/config.yaml}, with nested or dotted keys.
 */
public final class VariantFile {

    private VariantFile() {}

    /**
     * Reads a variant.
     *
     * @param name what the user calls it
     * @throws UserError if the name is taken or the file says nothing that Flink could be told
     */
    public static Variant read(String name, Path file) {
        if (Variant.isCeiling(name)
                || Variant.KNOWN.stream().anyMatch(known -> known.name().equals(name))) {
            throw new UserError("--variant: '" + name + "' is a built-in variant's name");
        }
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new UserError("--variant " + name + ": cannot read " + file);
        }
        Map<String, String> settings = new TreeMap<>();
        flatten(name, "", load(name, file), settings);
        if (settings.isEmpty()) {
            throw new UserError("--variant " + name + ": " + file + " sets nothing");
        }
        return new Variant(name, "from " + file, settings);
    }

    private static Map<?, ?> load(String name, Path file) {
        Object content;
        try {
            content = YamlParserUtils.loadYamlFile(file.toFile());
        } catch (Exception e) {
            // The parser reports bad YAML, and also a file that is no mapping, in many classes.
            String message = String.valueOf(e.getMessage()).strip();
            throw new UserError(
                    "--variant "
                            + name
                            + ": "
                            + file
                            + " is not a YAML mapping: "
                            + message.replaceAll("\\s+", " "));
        }
        return content instanceof Map<?, ?> map ? map : Map.of();
    }

    private static void flatten(
            String variant, String prefix, Map<?, ?> from, Map<String, String> to) {
        from.forEach(
                (name, value) -> {
                    String key = prefix + name;
                    if (value == null) {
                        throw new UserError(
                                "--variant " + variant + ": '" + key + "' has no value");
                    } else if (value instanceof Map<?, ?> nested) {
                        flatten(variant, key + ".", nested, to);
                    } else if (value instanceof List<?> list) {
                        List<String> items = new ArrayList<>();
                        list.forEach(item -> items.add(String.valueOf(item)));
                        to.put(key, String.join(";", items));
                    } else {
                        to.put(key, String.valueOf(value));
                    }
                });
    }
}
