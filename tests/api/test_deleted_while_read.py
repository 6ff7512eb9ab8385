"""Deleting a conversation ends its streams at once: nothing more can come."""

import asyncio
import time

from live import ask, read_until


async def test_readers_of_a_deleted_conversation_are_let_go_at_once(user):
    run = await ask(user, "/ticks 3000 20 0")
    urls = [run["events_url"], f"/v1/conversations/{run['conversation_id']}/events"]

    async def whole(url: str) -> float:
        async with user.stream("GET", url) as response:
            assert response.status_code == 200
            async for _ in response.aiter_raw():
                pass
        return time.monotonic()

    readers = [asyncio.create_task(whole(url)) for url in urls]
    await read_until(user, urls[0], b"@000005@")
    assert (await user.delete(f"/v1/conversations/{run['conversation_id']}")).status_code == 204
    deleted = time.monotonic()
    async with asyncio.timeout(60):
        ended = await asyncio.gather(*readers)
    assert max(ended) - deleted < 30, "of the minute that the run would go on for"
    async with asyncio.timeout(30):
        for url in urls:
            while (await user.get(url, headers={"Accept": "application/json"})).status_code != 404:  # noqa: ASYNC110 - the run is on its way out
                await asyncio.sleep(0.05)
