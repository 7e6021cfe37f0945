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
package io.stateaccel.tests.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of Markdown.
 *
 * @param path from the folder of the repository
 * @param prose the text without code blocks
 */
record Page(Path path, String prose, List<CodeBlock> blocks) {

    static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
    static final Path DOCS = Path.of("docs");

    private static final Pattern FENCE = Pattern.compile("( *)```(.*)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK =
            Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)|^\\[[^\\]]+]: (\\S+)$", Pattern.MULTILINE);

    /** Those that people write: of {@code docs}, without generated ones, and the READMEs. */
    static List<Page> written() {
        try (Stream<Path> docs = Files.list(REPOSITORY.resolve(DOCS));
                Stream<Path> readmes =
                        Files.find(
                                REPOSITORY, 2, (file, attributes) -> file.endsWith("README.md"))) {
            return Stream.concat(docs, readmes)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .map(file -> read(REPOSITORY.relativize(file)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Page read(Path path) {
        List<CodeBlock> blocks = new ArrayList<>();
        StringBuilder prose = new StringBuilder();
        StringBuilder code = new StringBuilder();
        Matcher opened = null;
        int number = 0;
        int begin = 0;
        for (String line : text(path).split("\n", -1)) {
            number++;
            Matcher fence = FENCE.matcher(line);
            if (opened == null && fence.matches()) {
                opened = fence;
                begin = number;
                code.setLength(0);
            } else if (opened == null) {
                prose.append(line).append('\n');
            } else if (fence.matches()) {
                blocks.add(CodeBlock.of(path + ":" + begin, opened.group(2), code.toString()));
                opened = null;
            } else {
                code.append(line.substring(Math.min(opened.group(1).length(), line.length())))
                        .append('\n');
            }
        }
        if (opened != null) {
            throw new IllegalArgumentException(path + ":" + begin + " is a block without end");
        }
        return new Page(path, prose.toString(), blocks);
    }

    static String text(Path path) {
        try {
            return Files.readString(REPOSITORY.resolve(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Targets of links and images, as they are written. */
    List<String> links() {
        return LINK.matcher(CODE.matcher(prose).replaceAll(""))
                .results()
                .map(link -> link.group(1) != null ? link.group(1) : link.group(2))
                .toList();
    }

    /** What a link to a heading may name, by the rules of GitHub. */
    Set<String> anchors() {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        Matcher heading = HEADING.matcher(prose);
        while (heading.find()) {
            String name =
                    heading.group(1)
                            .strip()
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                            .replace(' ', '-');
            int before = seen.merge(name, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? name : name + "-" + before);
        }
        return anchors;
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
