"""Spark sessions for tests: one process of Spark, and the same Python as that of the tests."""

import os
import re
import shutil
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import library

ROOT = Path(__file__).resolve().parents[3]
OLDEST_JAVA = 17


def java_version():
    """The version of the Java that Spark would start: 17, say; 0 where there is none."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return 0
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(found[1]) if found else 0


def need_java():
    """Skip the test where Spark cannot run; fail where all libraries are compulsory."""
    if (found := java_version()) >= OLDEST_JAVA:
        return
    reason = f"Spark needs Java {OLDEST_JAVA} or later, found {found or 'none'}"
    if os.environ.get("LEXIFRAME_REQUIRE_LIBRARIES"):
        pytest.fail(f"LEXIFRAME_REQUIRE_LIBRARIES is set, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def spark_home(tmp_path_factory):
    """Make a home for Spark whose executors may write into it, unlike that of the package."""
    need_java()
    with quiet_about_pandas():
        package = Path(library("pyspark").__file__).parent
    home = tmp_path_factory.mktemp("spark")
    for path in package.iterdir():
        (home / path.name).symlink_to(path)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        "SPARK_HOME": home,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(paths),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, str(value))
        yield home


@contextmanager
def session(master, folder, **more):
    """Start a session, and stop it afterwards. Java and Spark compile little: tests are short."""
    from pyspark.sql import SparkSession

    options = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.driver.extraJavaOptions": options,
        "spark.executor.extraJavaOptions": options,
        **more,
    }
    builder = SparkSession.builder.master(master).appName("lexiframe")
    for name, value in settings.items():
        builder = builder.config(name, str(value))
    with quiet_about_pandas():
        started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    try:
        yield started
    finally:
        started.stop()


@contextmanager
def quiet_about_pandas():
    """Hide that PySpark warns of pandas 3, of which lexiframe uses nothing with Spark."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def spark(spark_home):
    """Give a session with two threads, which repeats a task three times."""
    with session("local[2, 4]", spark_home) as started:
        yield started
