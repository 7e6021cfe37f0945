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
package io.stateaccel.tests.load;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The resources of another JVM of this user, on Linux: as the kernel tells in {@code /proc}, and as
 * the JVM tells through the beans that {@code jcmd} uses too.
 */
final class JvmProcess implements AutoCloseable {

    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

    /** JVM option without which {@link #nativeMemoryBytes} cannot be told. */
    static final String TRACKING = "-XX:NativeMemoryTracking=summary";

    private static final Pattern COMMITTED =
            Pattern.compile("Total: reserved=\\d+KB, committed=(\\d+)KB");

    private static final Pattern HEAP =
            Pattern.compile("Java Heap \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

    private final Path proc;
    private final JMXConnector connector;

    private JvmProcess(Path proc, JMXConnector connector) {
        this.proc = proc;
        this.connector = connector;
    }

    static JvmProcess of(ProcessHandle process) throws IOException {
        String id = String.valueOf(process.pid());
        try {
            VirtualMachine jvm = VirtualMachine.attach(id);
            try {
                return new JvmProcess(
                        Path.of("/proc", id),
                        JMXConnectorFactory.connect(
                                new JMXServiceURL(jvm.startLocalManagementAgent())));
            } finally {
                jvm.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException(e);
        }
    }

    /** Memory that the process has from the kernel. */
    long residentBytes() throws IOException {
        return kilobytes(RESIDENT, Files.readString(proc.resolve("status"))) << 10;
    }

    /** Memory that the JVM has of its own beside the heap: classes, code, threads, collector. */
    long nativeMemoryBytes() throws IOException, JMException {
        String summary =
                (String)
                        beans().invoke(
                                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                        "vmNativeMemory",
                                        new Object[] {new String[] {"summary"}},
                                        new String[] {String[].class.getName()});
        return (kilobytes(COMMITTED, summary) - kilobytes(HEAP, summary)) << 10;
    }

    /** Heap that is in use after a collection. */
    long liveHeapBytes() throws IOException {
        MemoryMXBean memory =
                ManagementFactory.newPlatformMXBeanProxy(
                        beans(), ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** Open files, sockets and the like. */
    long handles() throws IOException {
        try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
            return open.count();
        }
    }

    private MBeanServerConnection beans() throws IOException {
        return connector.getMBeanServerConnection();
    }

    private static long kilobytes(Pattern pattern, String text) throws IOException {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IOException("There is no " + pattern + " in " + text);
        }
        return Long.parseLong(matcher.group(1));
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
