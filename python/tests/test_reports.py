"""Pages, what notebooks show and plots: all of it from the engine's report."""

from __future__ import annotations

import hashlib
import html.parser
import json
import pathlib
import pickle
import sys
from typing import Any, Callable, List

import numpy as np
import pandas
import pytest

import tacet
from tacet import _plots, _reports

HOSTILE = "<script>alert('$x^')</script>&\"\u202e"


class Elements(html.parser.HTMLParser):
    """The names of all elements, each of which is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: List[str] = []
        self.open: List[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        if tag not in ("meta", "path", "line", "rect", "circle"):
            self.open.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()


@pytest.fixture(scope="module")
def model(berkeley: pandas.DataFrame, schema: tacet.Schema) -> Any:
    return tacet.LogisticRegression(epsilon=4, schema=schema).fit(berkeley)


@pytest.fixture(scope="module")
def seeded(berkeley: pandas.DataFrame, schema: tacet.Schema) -> Any:
    with pytest.warns(tacet.PrivacyWarning):
        return tacet.LogisticRegression(epsilon=1, schema=schema, random_state=3).fit(berkeley)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory, berkeley: pandas.DataFrame,
           schema: tacet.Schema) -> tacet.Ledger:
    made = tacet.Ledger.create(tmp_path_factory.mktemp("reports") / "b.ledger")
    made.enrol("berkeley1973", epsilon=3, delta=1e-4)
    tacet.LogisticRegression(epsilon=1, delta=1e-5, schema=schema, ledger=made).fit(berkeley)
    return made


def hostile_model() -> Any:
    X = pandas.DataFrame({HOSTILE: [0.0, 1.0] * 500, "town": [HOSTILE, "b"] * 500})
    schema = tacet.Schema(
        columns=[tacet.numeric(HOSTILE, 0, 1), tacet.categorical("town", [HOSTILE, "b"])],
        target=tacet.binary("y", positive="1", negative="0"), public_row_count=1000)
    return tacet.LogisticRegression(epsilon=4, schema=schema).fit(X, np.array([0, 1] * 500))


def test_the_page_is_the_program_s(model: Any, tmp_path: pathlib.Path, program: Callable[..., str],
                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model.save("model")
    some = ["promise", "model", "cost", "epsilon"]
    model.report("own.html", only=some)
    program("report", "model", "--only", ",".join(some), "--output", "other.html", "--quiet")
    assert pathlib.Path("own.html").read_text() == pathlib.Path("other.html").read_text()


def test_the_file_of_a_model_has_the_hash_that_its_page_shows(
        model: Any, tmp_path: pathlib.Path) -> None:
    model.save(tmp_path / "model.json")
    model.report(tmp_path / "page.html")
    digest = hashlib.sha256((tmp_path / "model.json").read_bytes()).hexdigest()
    assert digest in (tmp_path / "page.html").read_text()


def test_results_and_the_account_stand_on_one_page(
        model: Any, berkeley: pandas.DataFrame, ledger: tacet.Ledger,
        tmp_path: pathlib.Path) -> None:
    metrics = model.evaluate(berkeley, epsilon=0.5, delta=1e-6)
    model.report(tmp_path / "page.html", results=[metrics], ledger=ledger)
    page = (tmp_path / "page.html").read_text()
    assert "How good is it?" in page and "May I run another model at epsilon 1?" in page
    assert "evaluation" in page
    with pytest.raises(tacet.UsageError, match="results"):
        model.report(tmp_path / "no.html", results=["model.json"])
    with pytest.raises(tacet.UsageError, match="ledger"):
        model.report(tmp_path / "no.html", data_set="x")
    assert not (tmp_path / "no.html").exists()


def test_an_existing_file_stays(model: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("mine")
    with pytest.raises(tacet.IoError):
        model.report(path)
    assert path.read_text() == "mine"
    model.report(path, overwrite=True)
    assert path.read_text() != "mine"


def test_what_protects_nobody_says_so_everywhere(seeded: Any, tmp_path: pathlib.Path) -> None:
    with pytest.warns(tacet.PrivacyWarning, match="PRIVACY: NONE"):
        seeded.report(tmp_path / "page.html")
    for shown in (seeded._repr_html_(), seeded.receipt_._repr_html_(),
                  (tmp_path / "page.html").read_text()):
        assert "PRIVACY: NONE" in shown
        assert "differential privacy for" not in shown and "limited by epsilon" not in shown


def test_what_does_not_follow_is_written_and_refused(
        model: Any, tmp_path: pathlib.Path) -> None:
    said = json.loads(model.receipt_.to_json())
    said["guarantee"]["epsilon"] = 0.001
    forged = tacet.Receipt(json.dumps(said))
    with pytest.raises(tacet.GuaranteeError):
        forged.report(tmp_path / "page.html")
    assert "NOT VERIFIED" in (tmp_path / "page.html").read_text()
    assert "NOT VERIFIED" in forged._repr_html_()


def test_notebooks_show_models_receipts_schemas_ledgers_and_results(
        model: Any, berkeley: pandas.DataFrame, schema: tacet.Schema,
        ledger: tacet.Ledger) -> None:
    assert "Which columns matter?" in model._repr_html_()
    assert "<svg" in model._repr_mimebundle_()["text/html"]
    assert "Who is protected, and against what?" in model.receipt_._repr_html_()
    assert "department" in schema._repr_html_()
    assert "Budget over time" in ledger._repr_html_()
    summary = tacet.describe(berkeley, schema=schema, epsilon=0.5)
    assert "Summary tables" in summary._repr_html_()
    plan = tacet.plan(schema, epsilon=1)
    assert "This is a plan" in plan._repr_html_()
    for one in (model, model.receipt_, schema, ledger, summary, plan):
        found = Elements(one._repr_html_())
        assert "script" not in found.seen and "html" not in found.seen


def test_an_estimator_that_is_not_fitted_is_shown_as_scikit_learn_shows_it(
        schema: tacet.Schema) -> None:
    shown = tacet.LogisticRegression(epsilon=1, schema=schema)._repr_mimebundle_()["text/html"]
    assert "sk-" in shown and "tacet-report" not in shown


def test_hostile_names_are_text(tmp_path: pathlib.Path) -> None:
    model = hostile_model()
    model.report(tmp_path / "page.html")
    for shown in (model._repr_html_(), (tmp_path / "page.html").read_text(),
                  tacet.Schema._of(model._model.schema)._repr_html_()):
        assert "script" not in Elements(shown).seen
        assert "<script" not in shown


# Plots.


@pytest.fixture
def pyplot() -> Any:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_plots_draw_the_numbers_of_the_report(model: Any, pyplot: Any) -> None:
    figure, given = pyplot.subplots(1, 2)
    drawn = model.plot_effects(["sex", "department"], given)
    assert list(drawn) == list(given)
    numbers = {}
    report = _reports.numbers([model._reported()], None, "model")
    for block in report["sections"][0]["blocks"]:
        for one in [block, *block.get("blocks", [])]:
            if "figure" in one:
                numbers[one["title"]] = one["numbers"]["rows"]
    for ax, column in zip(drawn, ("sex", "department")):
        names = [label.get_text() for label in ax.get_yticklabels()]
        values = ax.lines[0].get_xdata()
        assert dict(zip(names, values)) == {row[0]: row[1] for row in numbers[column]}
    figure.canvas.draw()


def test_an_audit_is_drawn_with_the_claimed_curve(pyplot: Any) -> None:
    found = tacet.audit.run("laplace", trials=3000)
    claimed, measured = found.plot().lines
    assert measured.get_ydata().tolist() == [point["misses"] for point in found.points]
    assert claimed.get_ydata().tolist() == [
        point["min_misses_claimed"] for point in found.points]


def test_a_curve_is_drawn_with_its_band(pyplot: Any) -> None:
    age = np.random.default_rng(1).uniform(size=4000)
    schema = tacet.Schema(columns=[tacet.numeric("age", 0, 1)], public_row_count=4000,
                          target=tacet.binary("y", positive="1", negative="0"))
    model = tacet.LogisticRegression(epsilon=8, schema=schema).fit(
        pandas.DataFrame({"age": age}), (age > 0.5).astype(int))
    [ax] = model.plot()
    rows = [row for row in _first_figure(model)["numbers"]["rows"] if row[0] != "missing"]
    assert ax.lines[0].get_xdata().tolist() == [row[0] for row in rows]
    assert ax.lines[0].get_ydata().tolist() == [row[2] for row in rows]
    assert len(ax.collections) == 1


def _first_figure(model: Any) -> Any:
    numbers = _reports.numbers([model._reported()], None, "model")
    found = next(_plots.figures(_plots.section(numbers, "model")))
    return {"numbers": {"rows": found.rows}}


def test_several_classes_are_several_panels(pyplot: Any) -> None:
    generator = np.random.default_rng(1)
    X = generator.uniform(size=(3000, 1))
    model = tacet.LogisticRegression(epsilon=8, bounds=(0, 1), classes=["a", "b", "c"],
                                     public_row_count=3000).fit(X, np.array(["a", "b", "c"] * 1000))
    drawn = model.plot_effects(_name_of_first_column(model))
    assert [ax.get_title().split(": ")[1] for ax in drawn] == ["a", "b", "c"]


def _name_of_first_column(model: Any) -> str:
    numbers = _reports.numbers([model._reported()], None, "model")
    return next(_plots.figures(_plots.section(numbers, "model"))).title


def test_a_regression_table_is_drawn_with_its_intervals(
        berkeley: pandas.DataFrame, schema: tacet.Schema, pyplot: Any) -> None:
    table = tacet.inference.Logit("admitted ~ department", berkeley, schema=schema,
                                  epsilon=8).fit()
    ax = table.plot()
    assert ax.get_xlabel() == "coefficient, 95 % interval"
    known = {name: value for name, value in table.params.items() if not np.isnan(value)}
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert dict(zip(names, ax.lines[0].get_xdata())) == known
    assert "Which coefficients" in table._repr_html_()


def test_a_ledger_is_drawn_run_by_run(ledger: tacet.Ledger, pyplot: Any) -> None:
    _, given = pyplot.subplots()
    ax = ledger.plot(ax=given)
    assert ax is given
    [account] = ledger.show()
    assert ax.lines[0].get_ydata().tolist()[-1] == pytest.approx(account["spent"]["value"])
    assert ax.lines[1].get_ydata().tolist() == [3.0]


def test_a_plan_is_reported_and_drawn(
        schema: tacet.Schema, pyplot: Any, tmp_path: pathlib.Path) -> None:
    plan = tacet.plan(schema, epsilon=1)
    plan.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "What an epsilon buys" in page and "No record was read" in page
    _, given = pyplot.subplots()
    ax = plan.plot(given, epsilons=[0.5, 2])
    assert ax is given
    noise = ax.lines[0].get_ydata()
    assert ax.lines[0].get_xdata().tolist() == [0.5, 2] and noise[0] > noise[1] > 0
    assert "tacet-report" in plan._repr_html_()
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan and again._repr_html_() == plan._repr_html_()
    with pytest.raises(tacet.UsageError, match="no schema to plan by"):
        tacet.Plan(plan.to_json()).report(tmp_path / "no.html")


def test_plots_of_what_protects_nobody_say_so(seeded: Any, pyplot: Any) -> None:
    for ax in seeded.plot():
        assert "PRIVACY: NONE" in ax.get_title()


def test_hostile_names_are_no_mathematics(pyplot: Any) -> None:
    for ax in hostile_model().plot_effects([HOSTILE, "town"]):
        ax.figure.canvas.draw()


def test_mistakes_are_explained(model: Any, pyplot: Any) -> None:
    with pytest.raises(tacet.UsageError, match="'sex'"):
        model.plot_effects(["age"])
    with pytest.raises(tacet.UsageError, match="2 panels need as many axes"):
        model.plot_effects(["sex", "department"], pyplot.subplots()[1])


def test_without_matplotlib_the_error_says_what_to_install(
        model: Any, ledger: tacet.Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (model.plot, ledger.plot, lambda: model.plot_effects(["sex"])):
        with pytest.raises(tacet.UsageError, match="pip install matplotlib"):
            draw()
