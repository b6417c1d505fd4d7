"""The tab of `benchmarks/soak.py`, which is no browser: it keeps a text, and finds it again as a browser does."""

import asyncio
import sys

import pytest
from e2e.server import Server
from oracles import oracle
from paths import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
from _tab import Failed, Tab

MINE = "Mine, ที่ 👩‍👦, from a tab without a browser"


async def wrote(url: str) -> Tab:
    """A tab whose text the server has heard of."""
    tab = Tab(url)
    await tab.open()
    await tab.open_page("")
    tab.write(MINE)
    await tab.commit()
    assert await tab.has_text()
    return tab


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path / "log.txt") as running:
        yield running
        assert not running.complaints()


@pytest.mark.slow
def test_it_finds_its_text_after_a_pause_and_after_a_reload(server):
    async def goes_and_comes():
        tab = await wrote(server.url)
        assert await tab.ids("gpt2", MINE) == oracle("gpt2").encode_ordinary(MINE)
        with pytest.raises(Failed, match="404 .*nothing"):
            await tab.ids("nothing", MINE)
        session = tab.session
        for known in (session, ""):
            await tab.close()
            tab.session = known
            await tab.open()
            assert await tab.has_text()
            assert (tab.session == session) == bool(known)
        await tab.close()

    asyncio.run(goes_and_comes())


@pytest.mark.slow
def test_it_finds_its_text_when_the_server_was_killed(server):
    async def outlives():
        tab = await wrote(server.url)
        await asyncio.to_thread(server.restart)
        await tab.close()
        await tab.open()
        assert await tab.has_text()
        tab.text = "never told"  # the tab believes that the server has heard of it
        assert not await tab.has_text()
        await tab.close()

    asyncio.run(outlives())
