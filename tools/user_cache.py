#
# Copyright the flink-state-accel authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""What tools download and keep for the next time, per user."""

import os
import shutil
import tempfile
from pathlib import Path


def folder():
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "flink-state-accel"


def publish(target, fill, is_complete):
    """Fills a new folder next to the target, then renames it: all or nothing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        fill(staging)
        staging.chmod(0o755)
        try:
            staging.rename(target)
        except OSError:
            # Another run may have been faster; its result is as good as ours.
            if not is_complete(target):
                raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)
