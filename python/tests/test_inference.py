"""Regression tables in the manner of statsmodels, by the program's own plan."""

from __future__ import annotations

import json
import math
import pathlib
import pickle
import sys
import warnings
from typing import Any, Callable, Dict

import numpy as np
import pandas
import pytest

import tacet
from tacet import inference, summaries

pytestmark = pytest.mark.filterwarnings("ignore::tacet.PrivacyWarning")

ROWS = 4000


def table(seed: int = 0) -> Dict[str, Any]:
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 80, ROWS)
    sex = rng.choice(["f", "m"], ROWS)
    effect = 0.1 * (age - 50) + 3 * (sex == "m")
    return {"age": age, "sex": sex, "score": 20 + effect + 2 * rng.normal(size=ROWS),
            "ill": np.where(rng.random(ROWS) < 1 / (1 + np.exp(0.5 - effect / 5)), "yes", "no"),
            "visits": rng.poisson(np.exp(0.2 + effect / 10))}


def schema(target: Any, **more: Any) -> tacet.Schema:
    return tacet.Schema([tacet.numeric("age", 20, 80), tacet.categorical("sex", ["f", "m"])],
                        target=target, **{"public_row_count": ROWS, **more})


SCORE = tacet.number("score", 0, 40)
ILL = tacet.binary("ill", positive="yes", negative="no")
VISITS = tacet.count("visits", 12)


def test_a_table_of_numbers_has_the_truth_within_its_errors() -> None:
    found = inference.OLS("score ~ age + sex", table(), schema=schema(SCORE), epsilon=4,
                          random_state=1).fit()
    truth = {"(intercept)": 15.0, "age": 0.1, "sex=m": 3.0}
    assert list(found.params.index) == list(truth)
    for name, value in truth.items():
        # Five standard errors: the seeds are fixed.
        assert abs(found.params[name] - value) < 5 * found.bse[name]
    assert found.bse["age"] < 0.02
    low, high = found.conf_int().loc["sex=m"]
    assert low < found.params["sex=m"] < high
    assert high - low > np.diff(found.conf_int(0.5).loc["sex=m"])[0]
    assert np.allclose(np.sqrt(np.diag(found.cov_params())), found.bse)
    assert found.cov_params().loc["age", "sex=m"] == found.cov_params().iloc[2, 1]
    assert 0 < found.rsquared < 1 and found.pvalues["sex=m"] < 1e-6
    twice = found.t_test("2 * sex=m")
    assert twice["estimate"] == pytest.approx(2 * found.params["sex=m"])
    with pytest.raises(tacet.UsageError, match="odds and rates"):
        found.odds_ratios()
    for word in ("coef", "sex=m", "R2", "reach"):
        assert word in found.summary()


@pytest.fixture
def scores() -> inference.RegressionResults:
    frame = pandas.DataFrame(table(), index=range(7, 7 + ROWS))
    model: inference.OLS = inference.OLS.from_formula("score ~ age +\n sex", frame, epsilon=4,
                                                      schema=schema(SCORE), random_state=1)
    return model.fit(disp=0)


def test_hypotheses_are_written_as_in_statsmodels(scores: inference.RegressionResults) -> None:
    difference = scores.t_test("sex=m - age")
    for same in ("sex=m = age", [0, -1, 1], np.array([0.0, -1, 1])):
        again = scores.t_test(same)
        assert again.effect == pytest.approx(difference.effect)
        assert again.conf_int() == pytest.approx(difference.conf_int())
    # Against the truth, and against a value that is ten standard errors away.
    right, wrong = scores.t_test(f"age = 0.1, age = {scores.params['age'] + 10 * scores.bse['age']}")
    assert right.pvalue > 0.001 and wrong.pvalue < 1e-9
    assert wrong.tvalue == pytest.approx(-10) and wrong.effect == right.effect
    assert [one.tvalue for one in scores.t_test(np.eye(3))] == pytest.approx(list(scores.tvalues))
    assert [one.effect for one in scores.t_test(["age", "sex=m = age"])] == pytest.approx(
        [scores.params["age"], difference.effect])
    level = scores.t_test("sex=m", alpha=0.5)
    assert level.conf_int() == pytest.approx(tuple(scores.conf_int(0.5).loc["sex=m"]))
    for faulty in ([1, 2], [0, 0, 0], "age = age", "agee = 0", [0, math.nan, 1], "age + 1", "age * age",
                   "age / 0", "age = nan", "age > 0", "", "1e999 * age = 0", {"age": 1}):
        with pytest.raises(tacet.UsageError, match="hypothesis"):
            scores.t_test(faulty)
    with pytest.raises(tacet.UsageError, match="alpha must be between 0 and 1, got 95"):
        scores.conf_int(95)


@pytest.mark.parametrize("text, numbers, value", [
    ("age=0.1", [0, 1, 0], 0.1), ("(age = 0.1)", [0, 1, 0], 0.1), ("sex[T.m]", [0, 0, 1], 0),
    ("C(sex)[T.m] = age", [0, -1, 1], 0), ("Intercept = 15", [1, 0, 0], 15), ("age * 2", [0, 2, 0], 0),
    ("(age + sex=m) / 2 = 1", [0, 0.5, 0.5], 1), ("2 * age + 1 = sex=m", [0, 2, -1], -1),
    ("sex=m = sex=f", [0, 0, 1], 0), ("-(age - sex=m)", [0, -1, 1], 0)])
def test_hypotheses_of_statsmodels_mean_what_they_do_there(
        scores: inference.RegressionResults, text: str, numbers: Any, value: float) -> None:
    found, same = scores.t_test(text), scores.t_test((numbers, value))
    assert found.effect == pytest.approx(same.effect)
    assert found.tvalue == pytest.approx(same.tvalue) == pytest.approx(
        (np.dot(numbers, scores.params) - value) / same.sd)


def test_equal_coefficients_in_a_chain_are_one_hypothesis_less(
        scores: inference.RegressionResults) -> None:
    chain = scores.t_test("age = sex=m = 3, Intercept")
    assert [one["name"] for one in chain] == ["age = sex=m", "sex=m = 3", "Intercept"]
    assert chain.effect[1] == pytest.approx(scores.params["sex=m"])
    assert scores.wald_test("age = sex=m = 0", scalar=True).fvalue == pytest.approx(
        scores.f_test("(age = 0), (sex=m = 0)").fvalue)
    assert list(chain.summary_frame().index) == [one["name"] for one in chain]
    assert np.allclose(chain.conf_int(0.5)[2], scores.conf_int(0.5).loc["(intercept)"])
    assert "Intercept" in str(chain) and str(chain[1]) == chain[1].summary()


def test_names_with_signs_and_blanks_are_read_whole() -> None:
    rng = np.random.default_rng(8)
    names = ["x + y", "-z", "a = b", "2 * c", "d, e"]
    frame = {name: rng.random(ROWS) for name in names}
    frame["y"] = sum(frame.values()) + rng.normal(size=ROWS)
    columns = tacet.Schema([tacet.numeric(name, 0, 1) for name in names],
                           target=tacet.number("y", -5, 10), public_row_count=ROWS)
    found = inference.OLS("y ~ .", frame, schema=columns, epsilon=8, random_state=1).fit()
    for name in names:
        assert found.t_test(name).effect == pytest.approx(found.params[name])
    both = found.t_test("-z - x + y = a = b - 2 * c, d, e = 0")
    assert [one.effect for one in both] == pytest.approx(
        [found.params["-z"] - found.params["x + y"] - found.params["a = b"] + found.params["2 * c"],
         found.params["d, e"]])
    assert len({line.index("0.") for line in str(both).splitlines()[1:]}) <= 2


def test_a_large_budget_leaves_what_least_squares_and_the_sandwich_have() -> None:
    data = table(3)
    rows = np.column_stack([np.ones(ROWS), data["age"], data["sex"] == "m"])
    inverse = np.linalg.inv(rows.T @ rows)
    coefficients = inverse @ rows.T @ data["score"]
    squares = (data["score"] - rows @ coefficients) ** 2
    errors = np.sqrt(np.diag(inverse @ (rows.T * squares) @ rows @ inverse))
    found = inference.OLS("score ~ age + sex", data, schema=schema(SCORE), epsilon=60, delta=1e-6,
                          random_state=2).fit()
    assert np.all(np.abs(found.params - coefficients) < 0.3 * errors)
    # The noise of the second moment is a tenth of it at most, and so the errors' a twentieth.
    assert np.allclose(found.bse, errors, rtol=0.2)
    assert (found.df_denom > 50).all()


def test_lines_of_one_name_are_refused_before_anything_is_spent() -> None:
    data = {**table(), "sex=m": np.zeros(ROWS)}
    budget = tacet.Budget(epsilon=3, delta=1e-3)
    columns = tacet.Schema([tacet.categorical("sex", ["f", "m"]), tacet.numeric("sex=m", 0, 1)],
                           target=SCORE, public_row_count=ROWS)
    with pytest.raises(tacet.UsageError, match="two lines of the table would be called 'sex=m'"):
        inference.OLS("score ~ .", data, schema=columns, epsilon=2, budget=budget).fit()
    assert budget.spent == (0.0, 0.0)


def test_whole_numbers_that_are_no_category_are_refused_before_anything_is_spent() -> None:
    data = table()
    data["sex"] = (data["sex"] == "m").astype(int)
    with pytest.raises(tacet.DataError, match="'sex' has the type int64, of which no value can be"):
        inference.OLS("score ~ age + sex", data, schema=schema(SCORE), epsilon=4).fit()


def test_where_hardly_any_record_is_complete_it_says_so() -> None:
    data = table()
    data["sex"] = np.array(["F", "M"])[(data["sex"] == "m").astype(int)]
    found = inference.OLS("score ~ age + sex", data, schema=schema(SCORE), epsilon=4,
                          random_state=1).fit()
    assert found.params.isna().all()
    assert "Nothing is identified" in found.summary() and "Schema.check" in found.summary()


def test_joint_tests_are_those_of_the_covariance(scores: inference.RegressionResults) -> None:
    from scipy import stats
    apart = scores.params.to_numpy()[1:] - [0.1, 3]
    covariance = scores.cov_params().to_numpy()[1:, 1:]
    expected = float(apart @ np.linalg.solve(covariance, apart)) / 2
    found = scores.f_test("age = 0.1, sex=m = 3")
    assert found.fvalue == pytest.approx(expected) and found.df_num == 2
    assert found.pvalue == pytest.approx(stats.f.sf(expected, 2, found.df_denom))
    assert scores.f_test("age = 0, sex=m = 0").pvalue < 1e-9
    assert scores.wald_test(np.eye(3)[1:]).fvalue == pytest.approx(
        scores.f_test("age, sex=m").fvalue)
    one = scores.f_test("age = 0.1")
    assert one.fvalue == pytest.approx(scores.t_test("age = 0.1").tvalue ** 2)
    assert len(scores.wald_test_terms()) == 0  # terms of one coefficient have their line
    with pytest.raises(tacet.UsageError, match="follows from the others"):
        scores.f_test("age, 2 * age")


def test_a_category_of_several_levels_has_one_test() -> None:
    rng = np.random.default_rng(5)
    ward = rng.choice(list("abcd"), ROWS)
    y = 1 + 0.5 * (ward == "c") + 0.3 * rng.normal(size=ROWS)
    columns = tacet.Schema([tacet.categorical("ward", list("abcd"))], target=tacet.number("y", -1, 4),
                           public_row_count=ROWS)
    found = inference.OLS("y ~ ward", {"ward": ward, "y": y}, schema=columns, epsilon=4,
                          random_state=1).fit()
    test = found.wald_test_terms().loc["ward"]
    assert test["df_num"] == 3 and test["pvalue"] < 1e-6
    assert test["F"] == pytest.approx(found.f_test("ward=b, ward=c, ward=d").fvalue)
    assert "All coefficients of ward are 0: F(3," in found.summary()


def test_summaries_are_files_of_other_programs_too(scores: inference.RegressionResults) -> None:
    import csv
    import io
    rows = list(csv.DictReader(io.StringIO(scores.summary().as_csv())))
    assert [row["name"] for row in rows] == list(scores.params.index)
    assert float(rows[1]["estimate"]) == scores.params["age"]
    assert scores.summary().as_latex().startswith("\\begin{tabular}")


def test_what_models_of_statsmodels_take_is_refused_with_what_to_write() -> None:
    def model(**more: Any) -> Any:
        return inference.OLS("score ~ age", table(), schema=schema(SCORE), epsilon=4, **more)

    for name, reason in (("freq_weights", "Give each record a row"), ("offset", "take the offset"),
                         ("groups", "the schema's unit"), ("missing", "always left out"),
                         ("epsilom", "takes no argument 'epsilom'")):
        with pytest.raises(tacet.UsageError, match=reason):
            model(**{name: 1})
    for name, reason in (("WLS", "robust"), ("Probit", "Logit is the one"), ("Nothing", "no 'Nothing'$")):
        with pytest.raises(AttributeError, match=reason):
            getattr(inference, name)


def test_a_rare_class_is_called_doubtful_or_not_stated() -> None:
    rng = np.random.default_rng(2)
    doubtful = 0
    for seed in range(6):
        frame = {"age": rng.uniform(20, 80, ROWS), "sex": rng.choice(["f", "m"], ROWS),
                 "ill": np.where(rng.random(ROWS) < 0.025, "yes", "no")}
        model = inference.Logit("ill ~ sex", frame, schema=schema(ILL), epsilon=4, random_state=seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = model.fit()
        said = any("Doubtful" in str(each.message) for each in caught)
        assert said == found.near_limit == ("Doubtful" in found.summary())
        assert found.near_limit or not found.converged
        doubtful += found.near_limit
    assert doubtful > 0


def test_a_result_goes_through_a_pickle(scores: inference.RegressionResults) -> None:
    again = pickle.loads(pickle.dumps(scores))
    assert again.params.equals(scores.params) and again.summary() == scores.summary()
    assert again.receipt.statement() == scores.receipt.statement()
    assert tacet.verify(again).verdict == "unprotected"  # it has a seed


def test_what_statsmodels_has_and_a_release_cannot_have_says_why(
        scores: inference.RegressionResults) -> None:
    for name, reason in (("resid", "computed from the records"), ("aic", "costs budget"),
                         ("compare_lr_test", "test the terms that it has more"),
                         ("fvalue", "f_test with all slopes"), ("predict", "predicts nothing"),
                         ("get_margeff", "means over records"), ("HC3_se", "sandwich"),
                         ("df_resid", "df_denom"), ("nothing", "have no 'nothing'")):
        with pytest.raises(AttributeError, match=reason):
            getattr(scores, name)
    assert repr(scores.summary()) == scores.summary().as_text()
    assert scores.df_model == 2 and (scores.df_denom >= 4).all()
    model = inference.OLS("score ~ age", table(), schema=schema(SCORE), epsilon=4)
    with pytest.raises(tacet.UsageError, match="no other cov_type"):
        model.fit(cov_type="HC3")
    with pytest.raises(tacet.UsageError, match="arrays have no names"):
        inference.OLS(table()["score"], table()["age"], schema=schema(SCORE), epsilon=4)


def test_without_pandas_numbers_are_found_by_the_same_words(
        scores: inference.RegressionResults, monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = scores.conf_int().loc["age"]
    error = scores.bse["age"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert scores.conf_int().loc["age"] == (low, high) and scores.bse["age"] == error
    assert isinstance(scores.params, dict)
    assert np.sqrt(np.asarray(scores.cov_params())[1, 1]) == pytest.approx(error)


def test_odds_ratios_are_exponentials_of_the_ends() -> None:
    found = inference.Logit("ill ~ .", table(), schema=schema(ILL), epsilon=4,
                            random_state=1).fit()
    ratio, low, high = found.odds_ratios().loc["sex=m"]
    assert ratio == pytest.approx(math.exp(found.params["sex=m"]))
    assert (low, high) == pytest.approx(tuple(np.exp(found.conf_int().loc["sex=m"])))
    assert math.isnan(found.rsquared)
    assert math.isnan(found.pvalues_holm["(intercept)"])
    assert found.pvalues_holm["age"] >= found.pvalues["age"]


def test_counts_are_called_experimental() -> None:
    found = inference.Poisson("visits ~ age + sex", table(), schema=schema(VISITS), epsilon=6,
                              random_state=1).fit()
    for form in (found.summary(), found.summary().as_latex()):
        assert "EXPERIMENTAL" in form


def test_what_is_not_identified_has_no_number() -> None:
    data = table()
    data["sex"][:] = "f"
    found = inference.OLS("score ~ age + sex", data, schema=schema(SCORE), epsilon=4,
                          random_state=1).fit()
    assert math.isnan(found.params["sex=m"]) and not math.isnan(found.params["age"])
    assert "not identified at this budget" in found.summary()
    assert "Not identified: sex=m. The noise hides" in found.summary() and found.converged
    # The engine's words, with Python's names of arguments.
    assert "or a smaller reach (" in found.summary() and "`" not in found.summary()
    assert math.isnan(found.cov_params().iloc[2, 1])


def test_separated_classes_are_not_stated_and_said_to_be_so() -> None:
    data = table()
    data["ill"] = np.where(data["age"] > 50, "yes", "no")
    found = inference.Logit("ill ~ age + sex", data, schema=schema(ILL), epsilon=6,
                            random_state=1).fit()
    assert not found.converged and found.params.isna().all()
    assert "as far as noise shows" in found.summary()


def test_the_weights_of_rows_are_published() -> None:
    found = inference.OLS("score ~ age + sex", table(), schema=schema(SCORE), epsilon=4,
                          random_state=1).fit()
    shape, bound = found.row_weights()
    assert bound == pytest.approx(3 * found._table()["reach"]) and found.nobs == ROWS
    # On average a row's square is the number of columns or more: the start's rows are weighted too.
    rows = np.column_stack([np.ones(ROWS), table()["age"], table()["sex"] == "m"])
    assert 2.7 < np.mean(np.einsum("ij,jk,ik->i", rows, shape, rows)) < 5
    assert "Categories are compared with sex=f" in found.summary()


def test_too_little_is_refused_with_what_would_do() -> None:
    few = inference.OLS("score ~ age + sex", table(), schema=schema(SCORE), epsilon=0.05)
    for act in (few.plan, few.fit):
        with pytest.raises(tacet.UsageError, match="it takes about"):
            act()
    plan = inference.OLS("score ~ age + sex", table(), schema=schema(SCORE), epsilon=2).plan()
    assert plan.method == "inference" and plan.expected_width > 1
    assert plan.relative_noise < 0.3
    same = tacet.plan(schema(SCORE), epsilon=2, method="inference", terms="age + sex")
    assert same.to_json() == plan.to_json()


def test_formula_and_class_have_to_fit_the_schema() -> None:
    with pytest.raises(tacet.UsageError, match="the schema names none"):
        inference.OLS("score ~ age", table(), schema=tacet.Schema([tacet.numeric("age", 20, 80)]),
                      epsilon=2)
    for formula, words in (("age ~ sex", "the schema's target is 'score'"), ("score", "formula"),
                           ("score ~", "nothing stands after '~'"), ("score ~ height", "no column 'height'")):
        with pytest.raises(tacet.UsageError, match=words):
            inference.OLS(formula, table(), schema=schema(SCORE), epsilon=2).plan()
    with pytest.raises(tacet.UsageError, match="Logit is for two classes"):
        inference.Logit("score ~ age", table(), schema=schema(SCORE), epsilon=2)


def test_an_estimator_with_the_method_holds_the_same_table() -> None:
    data = table()
    model = tacet.LogisticRegression(epsilon=2, delta=1e-6, schema=schema(ILL), method="inference",
                                     random_state=7).fit(data)
    same = inference.Logit("ill ~ .", data, schema=schema(ILL), epsilon=2, delta=1e-6,
                           random_state=7).fit()
    assert model.inference_.params.equals(same.params)
    assert model.inference_.conf_int().equals(same.conf_int())
    line = tacet.Ridge(epsilon=4, bounds=(20, 80), target_bounds=(0, 40), method="inference",
                       public_row_count=ROWS).fit(data["age"][:, None], data["score"])
    assert list(line.inference_.params.index) == ["(intercept)", "x0"]
    assert tacet.verify(line).verdict == "follows"


def test_such_an_estimator_says_where_its_numbers_are() -> None:
    model = tacet.LogisticRegression(epsilon=2, schema=schema(ILL), method="inference")
    assert not hasattr(model, "inference_")
    model.fit(table())
    for name in ("coef_", "intercept_", "coef_noise_", "encoded_coef_", "encoded_intercept_",
                 "effects_", "encoded_names_"):
        with pytest.raises(AttributeError, match=r"inference_ has its params, bse, conf_int"):
            getattr(model, name)
    with pytest.raises(tacet.UsageError, match="predicts nothing"):
        model.predict(table())
    plain = tacet.LogisticRegression(epsilon=2, schema=schema(ILL), steps=3).fit(table())
    with pytest.raises(AttributeError, match="fitted for predictions.*tacet.inference"):
        _ = plain.inference_


def test_no_estimate_is_minus_zero() -> None:
    assert str(summaries.Quantile('{"value": -0.0}').value) == "0.0"
    assert repr(summaries.Summary('{"columns": [{"quartiles": [-0.0]}]}').columns[0]) == (
        "{'quartiles': [0.0]}")
    still = tacet.Ridge(epsilon=float("inf"), bounds=[(-1, 1)] * 2, target_bounds=(-1, 1),
                        row_scaling="const", knots=None, public_row_count=4)
    still.fit(np.array([[1, 0], [-1, 0], [1, 0], [-1, 0]]), np.zeros(4))
    for numbers in (still.coef_, still.intercept_, still.encoded_coef_):
        assert "-0" not in str(np.asarray(numbers)).replace("e-0", "")


def test_a_budget_pays_once_and_the_receipt_follows() -> None:
    budget = tacet.Budget(epsilon=3, delta=1e-3)
    found = inference.Logit("ill ~ age", table(), schema=schema(ILL), epsilon=2, delta=1e-6,
                            budget=budget).fit()
    assert 1.9 < budget.spent[0] <= 2
    assert found.receipt["guarantee"]["epsilon"] <= 2
    with pytest.raises(tacet.BudgetError):
        inference.Logit("ill ~ age", table(), schema=schema(ILL), epsilon=2, delta=1e-6,
                        budget=budget).fit()


def test_the_program_reads_the_file(tmp_path: pathlib.Path,
                                    program: Callable[..., str]) -> None:
    data = table()
    found = inference.Logit("ill ~ age + sex", data, schema=schema(ILL), epsilon=2, delta=1e-6,
                            random_state=7).fit()
    path = tmp_path / "t.json"
    found.save(path)
    assert inference.load(path).params.equals(found.params)
    lines = json.loads(program("show", path, "--json"))["table"]["coefficients"]
    assert {line["name"]: line["estimate"] for line in lines} == dict(found.params)
    with pytest.raises(tacet.UsageError, match=r"tacet\.inference\.load"):
        tacet.load(path)
    linear = tmp_path / "m.json"
    tacet.LogisticRegression(epsilon=2, schema=schema(ILL), steps=3).fit(data).save(linear)
    with pytest.raises(tacet.UsageError, match="no table"):
        inference.load(linear)
