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
package io.stateaccel.nexmark.bench.report;

import io.stateaccel.nexmark.bench.common.BuildProperties;
import io.stateaccel.nexmark.bench.common.Json;
import io.stateaccel.nexmark.bench.common.Resources;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;

/**
 * A page for the browser that needs no network: {@code report.html} with the figures and the
 * charts' library, Chart.js, put in. What it shows is worked out in the page.
 */
public final class HtmlReport {

    private static final String CHARTS = "/META-INF/resources/webjars/chart.js/";

    private HtmlReport() {}

    /** Writes the page. */
    static void write(Report report, Path file) throws IOException {
        Replacement.write(file, page(report));
    }

    private static String page(Report report) throws JsonProcessingException {
        String library = CHARTS + BuildProperties.get("chartjs.version");
        // A script ends at the first "</script", wherever it stands; in JSON, "/" may be escaped.
        String data = Json.MAPPER.writeValueAsString(report).replace("</", "<\\/");
        return Resources.text("/report.html")
                .replace("@LICENCE@", Resources.text(library + "/LICENSE.md").strip())
                .replace("@CHARTS@", Resources.text(library + "/dist/chart.umd.js"))
                .replace("@DATA@", data);
    }
}
