"""``signalbox serve`` as a user runs it, on a port that stays the same however often it is killed."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import httpx


class Served:
    def __init__(self, port: int, **settings: str) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._port = port
        self._env = {**os.environ, **{f"SIGNALBOX_{name.upper()}": value for name, value in settings.items()}}
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        program = Path(sys.executable).parent / "signalbox"
        self._process = subprocess.Popen(
            [program, "serve", "--port", str(self._port)], env=self._env, stderr=subprocess.DEVNULL
        )

    async def start(self) -> None:
        self.begin()
        async with asyncio.timeout(600), httpx.AsyncClient() as client:  # the first one trains a model
            while True:
                assert self._process.poll() is None, "the server did not start"
                try:
                    if (await client.get(f"{self.url}/readyz")).status_code == 200:
                        return
                except httpx.TransportError:
                    await asyncio.sleep(0.05)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    async def stop(self) -> None:
        """As a deploy does."""
        self._process.terminate()
        await asyncio.to_thread(self._process.wait, 60)
