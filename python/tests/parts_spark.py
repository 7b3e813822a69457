"""Spark for the tests: a session on this machine that takes a task four times."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import sys
from typing import Any, Iterator

import pytest


@contextlib.contextmanager
def spark_session(folder: pathlib.Path, cores: int = 2, **more: str) -> Iterator[Any]:
    """Skips, in words, where there is no Spark or no Java. Everything that Spark writes is below
    the folder."""
    pytest.importorskip("pyspark", reason="Spark (pyspark) is not installed")
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        pytest.skip("Spark needs a Java runtime (default-jre-headless), which is not installed")
    from pyspark.sql import SparkSession

    (folder / "events").mkdir()
    (folder / "local").mkdir()
    here = str(pathlib.Path(__file__).parent)
    settings = {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(folder / "local"), "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{folder / 'events'}", "spark.eventLog.compress": "false",
        "spark.shuffle.compress": "false", "spark.rdd.compress": "false",
        "spark.shuffle.spill.compress": "false",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]),
        **more}
    os.environ["PYSPARK_PYTHON"] = sys.executable
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([here, before])
    builder = SparkSession.builder.master(f"local[{cores},4]").appName("parts")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()
        os.environ["PYTHONPATH"] = before
