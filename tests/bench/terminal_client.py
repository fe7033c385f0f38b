"""A browser's side of a terminal for benchmarks: one blocking socket, nothing in between."""

from __future__ import annotations

import http.client
import json
import selectors
import socket
import sys
from typing import Any
from urllib.parse import urlencode

BINARY, TEXT, CLOSE, PING, PONG = 0x2, 0x1, 0x8, 0x9, 0xA
MASK = b"\0\0\0\0"
"""Any is allowed; with this one there is nothing to compute."""


class TerminalClient:
    """An open terminal of one student."""

    def __init__(
        self, host: str, session_cookie: str, *, number: int = 1, ticket: str = ""
    ) -> None:
        """Asks the site for a ticket where none is given."""
        self._cookie = f"sessionid={session_cookie}; csrftoken={'c' * 32}"
        ticket = ticket or self._ask_ticket(host, number)
        address, _, port = host.partition(":")
        self._socket = socket.create_connection((address, int(port)), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray()
        self._shake_hands(host)
        self.tell({"ticket": ticket, "cols": 100, "rows": 30})

    def _ask_ticket(self, host: str, number: int) -> str:
        connection = http.client.HTTPConnection(host, timeout=30)
        headers = {
            "Cookie": self._cookie,
            "X-CSRFToken": "c" * 32,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        connection.request("POST", "/terminal/open/", urlencode({"number": number}), headers)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return str(answer["ticket"])

    def _shake_hands(self, host: str) -> None:
        lines = [
            "GET /terminals/socket HTTP/1.1",
            f"Host: {host}",
            f"Origin: http://{host}",
            f"Cookie: {self._cookie}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        ]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        while b"\r\n\r\n" not in self._buffer:
            self.receive()
        head, _, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head
        self._buffer = bytearray(rest)

    def receive(self) -> None:
        """Waits for the next bytes."""
        data = self._socket.recv(65536)
        assert data, "the site has closed the line"
        self._buffer += data

    def next_frame(self) -> tuple[int, bytes] | None:
        """Kind and payload of the next whole frame that is there."""
        if len(self._buffer) < 2:
            return None
        length, at = self._buffer[1] & 0x7F, 2
        if length == 126:
            length, at = int.from_bytes(self._buffer[2:4], "big"), 4
        elif length == 127:
            length, at = int.from_bytes(self._buffer[2:10], "big"), 10
        if len(self._buffer) < at + length:
            return None
        kind, payload = self._buffer[0] & 0xF, bytes(self._buffer[at : at + length])
        del self._buffer[: at + length]
        if kind == PING:
            self._send(PONG, payload)
        assert kind != CLOSE, payload
        return kind, payload

    def _send(self, kind: int, payload: bytes) -> None:
        length = len(payload)
        size = bytes([0x80 | length]) if length < 126 else b"\xfe" + length.to_bytes(2, "big")
        self._socket.sendall(bytes([0x80 | kind]) + size + MASK + payload)

    def tell(self, words: dict[str, object]) -> None:
        self._send(TEXT, json.dumps(words).encode())

    def type(self, data: bytes) -> None:
        self._send(BINARY, data)

    def read(self) -> bytes:
        """What came next of the screen."""
        while True:
            while frame := self.next_frame():
                if frame[0] == BINARY:
                    return frame[1]
            self.receive()

    def fileno(self) -> int:
        return self._socket.fileno()

    def read_until(self, words: bytes) -> bytes:
        shown = b""
        while words not in shown:
            shown += self.read()
        return shown

    def close(self) -> None:
        self._socket.close()


def keep_busy(host: str, cookies: list[str], command: bytes) -> None:
    """Opens terminals, runs the command in each, reads for ever."""
    selector = selectors.DefaultSelector()
    for cookie in cookies:
        client = TerminalClient(host, cookie)
        client.read_until(b"$ ")
        client.type(command + b"\r")
        selector.register(client, selectors.EVENT_READ)
    sys.stdout.write("busy\n")
    sys.stdout.flush()
    while True:
        for key, _ in selector.select():
            drain(key.fileobj)


def drain(client: Any) -> None:
    client.receive()
    while client.next_frame():
        continue


if __name__ == "__main__":
    keep_busy(sys.argv[1], sys.argv[3:], sys.argv[2].encode())
