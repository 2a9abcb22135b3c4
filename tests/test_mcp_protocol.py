"""Tests of the server as a process: both versions of the protocol, its limits, and its end."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult
from mcping import (
    COMMAND,
    LEGACY,
    MODERN,
    LineClient,
    function,
    initialize_params,
    parameters,
    request,
    text_of,
)
from sandbox import GitSandbox

linux = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks into /proc")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> GitSandbox:
    sandbox = GitSandbox(tmp_path_factory.mktemp("project") / "repo")
    for at in range(20):
        sandbox.write(f"part{at}.py", function(f"send_{at}", lines=12))
    sandbox.commit()
    return sandbox


@pytest.fixture(scope="module")
def running(project: GitSandbox) -> Iterator[LineClient]:
    with LineClient(project.path) as client:
        yield client


def answer_text(result: CallToolResult) -> str:
    return text_of(result.model_dump(by_alias=True, exclude_none=True))


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_sdk_client_lists_and_calls_tools(project: GitSandbox, mode: str) -> None:
    async def session() -> None:
        async with Client(parameters(project.path), mode=mode) as client:
            assert client.protocol_version == (MODERN if mode == MODERN else LEGACY[-1])
            listed = (await client.list_tools()).tools
            assert listed == (await client.list_tools()).tools
            assert [tool.name for tool in listed][:1] == ["search_semantic"]
            for tool in listed:
                assert tool.annotations
                assert tool.annotations.read_only_hint
                assert not tool.annotations.destructive_hint
                assert not tool.annotations.open_world_hint
                assert tool.output_schema is None
            first = await client.call_tool("search_semantic", {"query": "send_7"})
            assert not first.is_error
            assert answer_text(first).startswith("part7.py:1-14 ")
            cursor = answer_text(first).rpartition("cursor=")[2]
            second = await client.call_tool(
                "search_semantic", {"query": "send_7", "cursor": cursor}
            )
            assert not set(answer_text(first).split("\n")) & set(
                answer_text(second).split("\n")[:1]
            )
            wrong = await client.call_tool("search_semantic", {"query": "a", "ref": "nowhere"})
            assert wrong.is_error
            assert answer_text(wrong).startswith("error: ")
            assert "\nhint: " in answer_text(wrong)
            with pytest.raises(MCPError) as error:
                await client.call_tool("search_everything", {})
            assert error.value.error.code == -32602

    anyio.run(session)


@pytest.mark.parametrize(
    ("version", "end"),
    list(zip(LEGACY, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, 0), strict=True)),
)
def test_server_speaks_each_legacy_version_and_ends_on_signals(
    project: GitSandbox, version: str, end: int
) -> None:
    with LineClient(project.path, version) as client:
        assert client.version == version
        tools = client.ask("tools/list")["result"]["tools"]
        assert {"name", "description", "inputSchema"} <= tools[0].keys()
        if end:
            client.process.send_signal(end)
        else:
            client.close_input()
        assert client.process.wait(5) == -end


@linux
def test_listing_tools_loads_no_engine_and_little_memory(project: GitSandbox) -> None:
    with LineClient(project.path) as client:
        assert client.ask("tools/list")["result"]["tools"]
        process = Path(f"/proc/{client.process.pid}")
        assert "apsw" not in (process / "maps").read_text()
        status = dict(
            line.split(":\t", 1) for line in (process / "status").read_text().splitlines()
        )
        assert int(status["VmHWM"].split()[0]) < 80_000
        client.call("search_semantic", {"query": "send_7"})
        assert "apsw" in (process / "maps").read_text()


def test_concurrent_calls_are_all_answered(running: LineClient) -> None:
    asked = [{"name": "find_usages", "arguments": {"name": f"send_{at}"}} for at in range(6)]
    numbers = [running.send("tools/call", one) for one in asked]
    answers: dict[int, str] = {}
    assert running.process.stdout
    for _ in numbers:
        answer = json.loads(running.process.stdout.readline())
        answers[answer["id"]] = text_of(answer["result"])
    for at, number in enumerate(numbers):
        assert answers[number].startswith(f"part{at}.py:1: [definition] function send_{at}\n")


def test_wrong_argument_is_a_tool_error_with_a_hint(running: LineClient) -> None:
    result = running.call("search_semantic", {"qurey": "send"})
    assert result["isError"]
    assert text_of(result) == (
        "error: search_semantic takes no argument 'qurey'\nhint: Did you mean query?"
    )


def test_unexpected_exception_is_a_tool_error_with_a_log(
    project: GitSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragit.mcp.engine import Engine
    from ragit.mcp.server import tool_server

    def fails(*_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(Engine, "run", fails)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    async def session() -> None:
        async with Client(tool_server(project.path, os.environ).sdk) as client:
            result = await client.call_tool("search_semantic", {"query": "a"})
            assert result.is_error
            assert "ragit-crash.log" in answer_text(result)

    anyio.run(session)
    assert "ZeroDivisionError" in (tmp_path / "ragit" / "ragit-crash.log").read_text()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("mcp-inspector"), reason="npm's inspector is not installed")
def test_official_inspector_runs_every_tool(project: GitSandbox) -> None:
    """Run the inspector of `npm install @modelcontextprotocol/inspector`, with its commands on PATH."""

    def inspect(*args: str) -> dict[str, Any]:
        command = ["mcp-inspector", "--cli", *COMMAND, "--method", *args]
        done = subprocess.run(command, cwd=project.path, capture_output=True, check=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    listed = [tool["name"] for tool in inspect("tools/list")["tools"]]
    calls = {
        "search_semantic": ("query=send_7", "part7.py:1-14 "),
        "find_usages": ("name=send_7", "part7.py:1: [definition]"),
        "get_file_skeleton": ("path=part7.py", "part7.py  python"),
        "code_history": ("question=since of=send_7", "part7.py:1-14  send_7  function"),
    }
    assert listed == list(calls)
    for name, (given, begins) in calls.items():
        arguments = [word for one in given.split() for word in ("--tool-arg", one)]
        result = inspect("tools/call", "--tool-name", name, *arguments)
        assert text_of(result).startswith(begins)


# -- malformed lines


def malformed(chance: random.Random) -> bytes:
    """Return a line that is no valid request."""
    good = request(chance.randrange(10**6, 10**7), chance.choice(["tools/list", "tools/call", "x"]))
    what = chance.randrange(8)
    if what == 0:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(60))) + b"\n"
    if what == 1:
        return good[: chance.randrange(len(good))] + b"\n"
    if what == 2:
        at = chance.randrange(len(good) - 1)
        return good[:at] + bytes([chance.randrange(32, 127)]) + good[at + 1 :]
    if what == 3:
        return json.dumps(chance.choice([[], {}, 1, None, "a", [{}], {"id": 1}])).encode() + b"\n"
    if what == 4:
        wrong = {"name": chance.choice([None, 1, "search_semantic"]), "arguments": [1]}
        return request(chance.randrange(10**6, 10**7), "tools/call", wrong)
    if what == 5:
        return b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n'
    if what == 6:
        return b'{"jsonrpc":"2.0","id":"' + b"9" * 5000 + b'","method":"' + b"\\u0000" * 9 + b'"}\n'
    return b"[" * chance.randrange(1, 3000) + b"\n"


def assert_survives(client: LineClient, lines: int, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(lines):
        client.write(malformed(chance))
        if chance.random() < 0.05:
            assert client.ask("ping")["result"] == {}  # reads each line before as JSON
    assert client.ask("tools/list")["result"]["tools"]
    for line in client.notifications:
        assert line["jsonrpc"] == "2.0"


def test_malformed_lines_are_answered_by_the_protocol_only(running: LineClient) -> None:
    assert_survives(running, 100, seed=1)


@pytest.mark.slow
def test_1000_malformed_lines(project: GitSandbox) -> None:
    with LineClient(project.path) as client:
        assert_survives(client, 1000, seed=2)


# -- a large tree, over the protocol


LARGE = 100


@pytest.fixture
def large(tmp_path: Path) -> GitSandbox:
    sandbox = GitSandbox(tmp_path / "large")
    for at in range(LARGE):
        sandbox.write(f"part{at}.py", function(f"send_{at}", lines=40))
    sandbox.commit()
    return sandbox


def test_progress_is_reported_until_the_answer(large: GitSandbox) -> None:
    with LineClient(large.path) as client:
        result = client.call("search_semantic", {"query": "send_7"}, progressToken="p")
        assert not result["isError"]
        seen = [message["params"] for message in client.notifications]
        assert seen
        assert all(one["progressToken"] == "p" and one["total"] == LARGE for one in seen[1:])
        figures = [one["progress"] for one in seen]
        assert figures == sorted(set(figures))
        client.notifications.clear()
        client.call("search_semantic", {"query": "send_8"}, progressToken="q")
        assert not client.notifications


def test_cancelled_call_is_not_answered(large: GitSandbox) -> None:
    with LineClient(large.path) as client:
        asked = {"name": "search_semantic", "arguments": {"query": "send_7"}}
        number = client.send("tools/call", asked)
        assert client.ask("ping")["result"] == {}
        client.write(
            b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}\n'
            % number
        )
        text = text_of(client.call("search_semantic", {"query": "send_8"}))
        assert text.startswith("part8.py:1-42 ")
        assert "(complete)" in text
        assert number not in [message.get("id") for message in client.notifications]


# -- the end


def ends(pid: int, within: float = 5.0) -> bool:
    """Wait some seconds, and return whether a process ended (or is a zombie)."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def children_of(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task").glob("*/children")
    own = [int(child) for file in found for child in file.read_text().split()]
    return own + [below for child in own for below in children_of(child)]


@linux
def test_server_ends_with_its_input_during_a_call(large: GitSandbox) -> None:
    with LineClient(large.path) as client:
        client.send("tools/call", {"name": "search_semantic", "arguments": {"query": "send_7"}})
        time.sleep(0.5)
        below = children_of(client.process.pid)
        client.close_input()
        assert client.process.wait(5) == 0
        assert all(map(ends, below))


CLIENT = """
import os, subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.stdin.buffer.readline()); server.stdin.flush()
server.stdout.readline()
# Holds the other end of the server's input, as careless clients let their children do.
other = subprocess.Popen(["sleep", "60"], close_fds=False, stdout=subprocess.DEVNULL,
    pass_fds=[server.stdin.fileno()])
print(server.pid, other.pid, flush=True)
time.sleep(60)
"""


def kill_client(folder: Path, times: int) -> None:
    for _ in range(times):
        client = subprocess.Popen(
            [sys.executable, "-c", CLIENT, *COMMAND],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert client.stdin
        assert client.stdout
        client.stdin.write(request(1, "initialize", initialize_params(LEGACY[-1])))
        client.stdin.flush()
        server, other = map(int, client.stdout.readline().split())
        client.kill()
        client.communicate()
        try:
            assert ends(server)
        finally:
            os.kill(other, signal.SIGKILL)


@linux
def test_server_ends_with_a_killed_client(project: GitSandbox) -> None:
    kill_client(project.path, 2)


@linux
@pytest.mark.slow
def test_server_ends_with_each_of_100_killed_clients(project: GitSandbox) -> None:
    kill_client(project.path, 100)


# -- the socket


def serve(path: Path, folder: Path, idle: float) -> subprocess.Popen[bytes]:
    code = (
        "import os, sys; from pathlib import Path; from ragit.mcp import serve_socket\n"
        "serve_socket(Path(sys.argv[1]), Path('.'), os.environ, float(sys.argv[2]))"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", code, str(path), str(idle)], cwd=folder, stderr=subprocess.PIPE
    )
    until = time.monotonic() + 30
    while not listens(path) and started.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    return started


def listens(path: Path) -> bool:
    """Return whether a server accepts connections; the socket's file exists a moment before."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


async def converse(path: Path, lines: list[bytes]) -> list[dict[str, Any]]:
    """Send requests one after the other, and return the answers."""
    answers = []
    async with await anyio.connect_unix(path) as stream:
        for line in lines:
            await stream.send(line)
            received = b""
            while not received.endswith(b"\n"):
                received += await stream.receive()
            answers.append(json.loads(received))
    return answers


def refused(path: Path, folder: Path) -> str:
    """Return the message of a server that cannot listen."""
    done = subprocess.run(
        [sys.executable, "-m", "ragit", "serve", "--socket", str(path)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    return done.stderr


def test_socket_is_private_and_has_one_server(project: GitSandbox, tmp_path: Path) -> None:
    path = tmp_path / "own" / "mcp.sock"
    server = serve(path, project.path, idle=600)
    try:
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        asked = {"name": "search_semantic", "arguments": {"query": "send_7"}}
        lines = [
            request(1, "initialize", initialize_params(LEGACY[-1])),
            request(2, "tools/call", asked),
        ]
        for _ in range(2):
            answers = anyio.run(converse, path, lines)
            assert text_of(answers[1]["result"]).startswith("part7.py:1-14 ")
        assert "a server listens on" in refused(path, project.path)
    finally:
        server.kill()
        server.communicate()


def test_stale_socket_is_replaced_and_an_idle_server_ends(
    project: GitSandbox, tmp_path: Path
) -> None:
    path = tmp_path / "mcp.sock"
    first = serve(path, project.path, idle=600)
    first.kill()
    first.communicate()
    assert path.is_socket()
    second = serve(path, project.path, idle=0.5)
    second.communicate(timeout=60)
    assert second.returncode == 0
    assert not path.exists()
    path.write_text("mine")
    assert "is no socket" in refused(path, project.path)
    assert path.read_text() == "mine"
