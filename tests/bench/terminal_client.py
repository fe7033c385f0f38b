"""A browser's side of a terminal for benchmarks: one blocking socket, nothing in between."""

from __future__ import annotations

import http.client
import json
import selectors
import socket
import sys
from urllib.parse import urlencode

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri


class TerminalClient:
    """An open terminal of one student."""

    def __init__(self, host: str, session_cookie: str, *, number: int = 1) -> None:
        self._cookie = f"sessionid={session_cookie}; csrftoken={'c' * 32}"
        ticket = self._ask_ticket(host, number)
        self._protocol = ClientProtocol(parse_uri(f"ws://{host}/terminals/socket"))
        address, _, port = host.partition(":")
        self._socket = socket.create_connection((address, int(port)), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._events: list[Frame] = []
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
        request = self._protocol.connect()
        request.headers["Cookie"] = self._cookie
        request.headers["Origin"] = f"http://{host}"
        self._protocol.send_request(request)
        self._flush()
        while self._protocol.handshake_exc is None and self._protocol.state.name != "OPEN":
            self._receive()

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._socket.sendall(data)

    def _receive(self) -> None:
        self._protocol.receive_data(self._socket.recv(65536))
        self._events += [e for e in self._protocol.events_received() if isinstance(e, Frame)]
        self._flush()

    def tell(self, words: dict[str, object]) -> None:
        self._protocol.send_text(json.dumps(words).encode())
        self._flush()

    def type(self, data: bytes) -> None:
        self._protocol.send_binary(data)
        self._flush()

    def read(self) -> bytes:
        """What came next of the screen."""
        while True:
            while self._events:
                frame = self._events.pop(0)
                if frame.opcode in (Opcode.BINARY, Opcode.CONT):
                    return bytes(frame.data)
                assert frame.opcode != Opcode.CLOSE, bytes(frame.data)
            self._receive()

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
        selector.register(client._socket, selectors.EVENT_READ, client)
    sys.stdout.write("busy\n")
    sys.stdout.flush()
    while True:
        for key, _ in selector.select():
            key.data._receive()
            key.data._events.clear()


if __name__ == "__main__":
    keep_busy(sys.argv[1], sys.argv[3:], sys.argv[2].encode())
