"""A fitted estimator as a folder that MLflow loads.

The folder is written without MLflow. It holds the model file, which is JSON and runs no code when
it is loaded, unlike a pickle.
"""

from __future__ import annotations

import os
import pathlib
import platform
import shutil
import tempfile
from typing import Any, Union

from . import _engine
from ._loading import load
from .errors import IoError, UsageError

__all__ = ["save_model"]

_MODEL_FILE = "model.json"
_PLAIN = "python_function"


def save_model(estimator: Any, path: Union[str, "os.PathLike[str]"]) -> None:
    """Writes the folder `path`, which must not exist.

    ``mlflow.pyfunc.load_model(path)`` then loads the model, where this package is installed too; its
    ``predict`` is that of the estimator. The folder has the guarantee in words under ``metadata``.
    """
    folder = pathlib.Path(path)
    if folder.exists():
        raise UsageError(f"'{folder}' exists; give the name of a new folder")
    receipt = estimator.receipt_
    version = _engine.version
    try:
        part = pathlib.Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise IoError(f"cannot write '{folder}': {error.strerror}") from None
    try:
        estimator.save(part / _MODEL_FILE)
        (part / "MLmodel").write_text("\n".join([
            "flavors:",
            f"  {_PLAIN}:",
            "    data: " + _MODEL_FILE,
            "    env:",
            "      virtualenv: python_env.yaml",
            "    loader_module: tacet.mlflow",
            f"    python_version: {platform.python_version()}",
            "  tacet:",
            f"    data: {_MODEL_FILE}",
            f"    tacet_version: {version}",
            "metadata:",
            f"  privacy: {_quoted(receipt.statement())}",
            f"  protected: {'true' if receipt.protected else 'false'}",
            ""]), encoding="utf-8")
        (part / "requirements.txt").write_text(f"tacet=={version}\n", encoding="utf-8")
        (part / "python_env.yaml").write_text(
            f"python: {platform.python_version()}\ndependencies:\n- -r requirements.txt\n",
            encoding="utf-8")
        part.chmod(0o755)
        part.rename(folder)
    except IoError as error:  # of the model file
        raise IoError(str(error).replace(str(part), str(folder))) from None
    except OSError as error:
        raise IoError(f"cannot write '{folder}': {error.strerror}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)  # gone where it has got its name


def _quoted(text: str) -> str:
    """A text of YAML on one line."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"


def _load_pyfunc(path: str) -> Any:
    """What MLflow calls: the estimator of the model file, or of the folder with it."""
    found = pathlib.Path(path)
    return load(found / _MODEL_FILE if found.is_dir() else found)
