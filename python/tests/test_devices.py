"""Devices of their own server: one report each, booked once, by any transport."""

from __future__ import annotations

import concurrent.futures
import http.client
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import time
from typing import Any, Iterator, List, Tuple

import pytest

import tacet
from tacet.local import Client, Policy, Reply

POLICY = Policy(largest_epsilon=4, all_tasks_epsilon=4, mechanisms=["privunit"])
COUNT = 6


class OverHttp:
    """A transport of the caller's own, which may lose answers."""

    confidential = True

    def __init__(self, port: int, losses: int = 0) -> None:
        self.port = port
        self.losses = losses
        self.requests: List[Tuple[str, str]] = []
        self.reports: List[bytes] = []

    def exchange(self, method: str, path: str, *, token: str, body: bytes,
                 max_bytes: int) -> Reply:
        self.requests.append((method, path))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.read(max_bytes + 1),
                      int(answer.headers.get("Retry-After", 0)))
        connection.close()
        if path == "/v1/report":
            self.reports.append(body)
            if len(self.reports) <= self.losses:
                raise OSError("the line is cut")
        return reply


@pytest.fixture(scope="module")
def served(program: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("served")
    tacet.Schema([tacet.numeric("age", 0, 100), tacet.categorical("town", ["Bern", "Basel"])],
                 target=tacet.binary("bought", positive="yes", negative="no"),
                 name="people").save(folder / "people.toml")
    program("local", "task", "--schema", folder / "people.toml", "--epsilon=4",
            f"--public-row-count={COUNT}", "--batch-size=2", "--delay=0", "--output",
            folder / "task.json")
    tokens = program("local", "enrol", folder / "task.json", "--state", folder / "task.state",
                     f"--count={COUNT}").split()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [os.environ["TACET_PROGRAM"], "serve", folder / "task.json", "--state",
         folder / "task.state", "--listen", f"127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.01)
    for number in range(COUNT):
        (folder / f"record{number}").mkdir()
        (folder / f"record{number}/record.csv").write_text(
            f"age,town,bought\n{number * 9},Bern,{'yes' if number > 2 else 'no'}\n")
    yield folder, port, tokens
    server.send_signal(signal.SIGTERM)
    assert server.wait() == 0


def device(
    served: Any, number: int, server: Any = None, **more: Any
) -> Tuple[Client, pathlib.Path]:
    folder, port, tokens = served
    known = {"task": folder / "task.json", "policy": POLICY, "token": tokens[number],
             "state": folder / f"device{number}", "patience": 20, **more}
    client = Client(server or f"http://127.0.0.1:{port}", **known)
    return client, folder / f"record{number}/record.csv"


def spent(served: Any, number: int) -> float:
    path = served[0] / f"device{number}/device.ledger"
    if not path.exists():
        return 0.0
    return sum(float(account["spent"]["value"]) for account in tacet.Ledger(path).show())


def test_a_device_sends_one_report_and_books_it_once(served: Any) -> None:
    client, record = device(served, 0)
    joined = client.join(record)
    assert (joined.answer, joined.resumed, joined.epsilon, joined.delta) == ("counted", False, 4, 0)
    again = client.join(record, resume=True)
    assert again.resumed and again.task == joined.task and spent(served, 0) == 4
    assert client._token not in repr(client)


def test_lost_answers_are_asked_for_with_the_same_bytes(served: Any) -> None:
    transport = OverHttp(served[1], losses=2)
    client, record = device(served, 1, transport)
    assert client.join(record).answer == "counted"
    assert len(transport.reports) == 3 and len(set(transport.reports)) == 1
    assert spent(served, 1) == 4


def test_a_task_by_its_digest_comes_from_the_server(served: Any) -> None:
    by_file, record = device(served, 2)
    digest = by_file.join(record).task
    client, record = device(served, 3, OverHttp(served[1]), task=digest)
    assert client.join(record).task == digest


class Fails:
    confidential = True

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.calls = 0

    def exchange(self, *_: Any, **__: Any) -> Reply:
        self.calls += 1
        raise self.error


class Mine(Exception):
    pass


def test_failures_of_a_transport_cost_nothing(served: Any) -> None:
    for error, kind, tries in ((Mine("geheim"), Mine, 1), (OSError("geheim"), tacet.IoError, None),
                               (ssl.SSLCertVerificationError("geheim"), tacet.IoError, 1)):
        transport = Fails(error)
        client, record = device(served, 4, transport, patience=1)
        with pytest.raises(kind) as caught:
            client.join(record)
        assert kind is Mine or "geheim" not in str(caught.value)
        assert tries is None or transport.calls == tries
        assert spent(served, 4) == 0


class Says:
    """A transport that gives back anything."""

    confidential = True

    def __init__(self, reply: Any) -> None:
        self.reply = reply

    def exchange(self, *_: Any, **__: Any) -> Any:
        return self.reply


@pytest.mark.parametrize("reply", [
    None, 200, (200, b"", 0), Reply("200", b""), Reply(200, "text"),  # type: ignore[arg-type]
    Reply(200, None), Reply(200, b"", None), Reply(200, b"", "1"),  # type: ignore[arg-type]
    Reply(True, b""), Reply(200.0, b""),  # type: ignore[arg-type]
    Reply(10**30, b""), Reply(-1, b""),
])
def test_a_reply_of_wrong_types_is_a_usage_error(served: Any, reply: Any) -> None:
    client, record = device(served, 4, Says(reply), patience=0)
    with pytest.raises(tacet.UsageError, match="Reply"):
        client.join(record)
    assert spent(served, 4) == 0


@pytest.mark.parametrize("word", ["no", "yes", None, 1, 0])
def test_what_is_not_said_to_be_confidential_gets_no_token(served: Any, word: Any) -> None:
    transport = OverHttp(served[1])
    transport.confidential = word
    client, record = device(served, 4, transport)
    with pytest.raises(tacet.UsageError, match="confidential"):
        client.join(record)


@pytest.mark.parametrize("seconds", [-1, 31_536_001, 10**20])
def test_patience_has_bounds(served: Any, seconds: int) -> None:
    with pytest.raises(tacet.UsageError, match="patience must be 0 to 31536000 seconds"):
        device(served, 4, OverHttp(served[1]), patience=seconds)


def test_mechanisms_are_names() -> None:
    with pytest.raises(tacet.UsageError, match="list of names"):
        Policy(4, 8, None)  # type: ignore[arg-type]


def test_books_hold_whatever_folder_is_named(served: Any, tmp_path: pathlib.Path) -> None:
    policy = Policy(4, 4, ["privunit"], books=tmp_path / "b\u00fccher")
    assert Policy.load(_written(tmp_path, policy)).books == str(tmp_path / "b\u00fccher")
    with pytest.raises(tacet.DataError, match="absolute"):
        Policy(4, 4, ["privunit"], books="here")


def _written(folder: pathlib.Path, policy: Policy) -> pathlib.Path:
    (folder / "books.toml").write_text(policy.to_toml(), encoding="utf-8")
    return folder / "books.toml"


class Open(OverHttp):
    confidential = False


def test_policies_decide_before_anything_is_sent(served: Any) -> None:
    strict = [(Policy(3, 4, ["privunit"]), tacet.BudgetError),
              (Policy(4, 4, ["gaussian"]), tacet.GuaranteeError)]
    for policy, kind in strict:
        transport = OverHttp(served[1])
        client, record = device(served, 4, transport, policy=policy)
        with pytest.raises(kind):
            client.join(record)
        assert transport.requests == []
    seen = Open(served[1])
    client, record = device(served, 4, seen)
    with pytest.raises(tacet.GuaranteeError, match="HTTPS"):
        client.join(record)
    with pytest.raises(tacet.UsageError):
        device(served, 4)[0].join(record, resume=True)
    assert seen.requests == [] and spent(served, 4) == 0


def test_a_record_is_a_file_that_stays_and_has_one_name(
    served: Any, tmp_path: pathlib.Path
) -> None:
    client, record = device(served, 4)
    os.mkfifo(tmp_path / "pipe")
    for name in ("-", "/dev/null", tmp_path / "pipe"):
        with pytest.raises(tacet.UsageError, match="a mark beside it says what was spent"):
            client.join(name)
    second = record.with_name("second.csv")
    os.link(record, second)
    with pytest.raises(tacet.BudgetError, match="2 names"):
        client.join(record)
    second.unlink()
    assert spent(served, 4) == 0


def test_of_threads_that_start_at_once_on_a_record_one_takes_part(served: Any) -> None:
    record = device(served, 5)[1]
    starters = [device(served, number)[0] for number in (4, 5)]

    def start(client: Client) -> str:
        try:
            return client.join(record).answer
        except tacet.BudgetError:
            return "refused"

    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(start, starters)) == ["counted", "refused"]
    assert spent(served, 4) + spent(served, 5) == 4


def test_policies_are_the_programs(tmp_path: pathlib.Path) -> None:
    (tmp_path / "policy.toml").write_text(POLICY.to_toml())
    assert Policy.load(tmp_path / "policy.toml") == Policy(4.0, 4.0, ["privunit"])
    wrongs: List[Any] = [
        lambda: Policy(4, 8, ["any"]), lambda: Policy(0, 8, ["privunit"]),
        lambda: Policy(4, 8, "privunit"), lambda: Policy(float("inf"), 8, ["privunit"]),
        lambda: Policy(4, 8, []), lambda: Policy(4, 8, ["privunit"], largest_delta=1),
        lambda: Client("ftp://nowhere", task="0" * 64, policy=POLICY, state=tmp_path).join("x"),
        lambda: Client(
            "https://nowhere", task="t", policy=None, state="d"),  # type: ignore[arg-type]
        lambda: Client(3, task="t", policy=POLICY, state="d"),  # type: ignore[arg-type]
        lambda: Client("https://nowhere", task="t", policy=POLICY, state="d", key="k"),
        lambda: Client("https://nowhere", task="t", policy=POLICY, state="d", token="7").join("x")]
    for wrong in wrongs:
        with pytest.raises((tacet.UsageError, tacet.DataError)):
            wrong()
