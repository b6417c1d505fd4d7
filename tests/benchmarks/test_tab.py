"""The simulated tab of `benchmarks/soak.py`: it restores its text as a browser does."""

import asyncio
import sys

import pytest
from e2e.server import Server
from oracles import oracle
from paths import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
from _tab import Failed, Tab

MINE = "Mine, ที่ 👩‍👦, from a tab without a browser"


async def tab_with_text(url: str) -> Tab:
    """A tab whose text the server has."""
    tab = Tab(url)
    await tab.open()
    await tab.open_page("")
    tab.write(MINE)
    await tab.commit()
    assert await tab.has_text()
    return tab


@pytest.mark.slow
def test_tab_restores_its_text_after_a_pause_a_reload_and_a_killed_server(tmp_path):
    async def come_back(server):
        tab = await tab_with_text(server.url)
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
        await asyncio.to_thread(server.restart)
        await tab.close()
        await tab.open()
        assert await tab.has_text()
        tab.text = "never sent"  # the tab takes it for sent
        assert not await tab.has_text()
        await tab.close()

    with Server(tmp_path / "log.txt") as running:
        asyncio.run(come_back(running))
        assert not running.log_problems()
